# Draws the plots of docs/scale.md from the lines that `make fleet` writes:
#   gnuplot -e "lines='fleet.tsv'; folder='docs'" test/fleet/plots.gp
set terminal svg size 640,360 font "sans-serif,12" background "white"
set datafile separator "\t"
set key top right
set grid ytics lc rgb "#dddddd"
set format y "%.0s%c"
set xlabel "s, simulated"
set ylabel "messages that wait"
set style line 1 lc rgb "#b3541e" lw 2
set style line 2 lc rgb "#1f5fa8" lw 2
set style line 3 lc rgb "#7a7a7a" lw 2

# The lines of one scene with one kind of clients. Column 3 is the time in seconds, 4 the opened streams, 5 the length
# of the queue, 6 the clients that have the last change.
of(rules, scene) = sprintf("< awk -F'\\t' '$1 == \"%s\" && $2 == \"%s\"' %s", rules, scene, lines)

set output folder."/fleet_blink.svg"
set title "the control plane was away for 0.2 s: its queue"
plot of("host", "blink") using 3:5 with lines ls 1 title "rules of gRPC's own client", \
     of("again", "blink") using 3:5 with lines ls 3 title "grpc-xds, all is sent again", \
     of("delta", "blink") using 3:5 with lines ls 2 title "grpc-xds, delta"

set output folder."/fleet_restart.svg"
set title "the control plane was away for 10 s: its queue"
plot of("host", "restart") using 3:5 with lines ls 1 title "rules of gRPC's own client", \
     of("again", "restart") using 3:5 with lines ls 3 title "grpc-xds, all is sent again", \
     of("delta", "restart") using 3:5 with lines ls 2 title "grpc-xds, delta"

set output folder."/fleet_rolling.svg"
set title "four replicas restart, one every 10 s: their queue"
plot of("host", "rolling") using 3:5 with lines ls 1 title "rules of gRPC's own client", \
     of("again", "rolling") using 3:5 with lines ls 3 title "grpc-xds, all is sent again", \
     of("delta", "rolling") using 3:5 with lines ls 2 title "grpc-xds, delta"
