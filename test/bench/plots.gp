# Draws the plots of docs/benchmarks.md from the lines that `make bench` writes:
#   gnuplot -e "lines='bench.tsv'; folder='docs'" test/bench/plots.gp
set terminal svg size 640,360 font "sans-serif,12" background "white"
set datafile separator "\t"
set key top left
set grid ytics lc rgb "#dddddd"
set logscale xy
set format x "%.0s%c"
set style line 1 lc rgb "#b3541e" lw 2 pt 7 ps 0.6
set style line 2 lc rgb "#1f5fa8" lw 2 pt 7 ps 0.6

# Size, median, minimum and maximum of one variant of a row, sorted by size
of(row, variant) = sprintf("< awk -F'\\t' -v OFS='\\t' '$1 == \"%s\" && $4 == \"%s\" && $2 > 0 {print $2, $5, $6, $7}' %s | sort -n", row, variant, lines)

set output folder."/bench_routes.svg"
set title "unary RPC that the last route matches, synchronous program"
set xlabel "routes"
set ylabel "instructions"
plot of("routes", "host") using 1:2 with linespoints ls 1 title "host's xDS", \
     of("routes", "ours") using 1:2 with linespoints ls 2 title "grpc-xds"

set output folder."/bench_endpoint_change.svg"
set title "one endpoint changes: CPU of the client"
set xlabel "endpoints of the cluster"
set ylabel "ms"
plot of("endpoint_change", "host") using 1:2:3:4 with yerrorlines ls 1 title "host's xDS", \
     of("endpoint_change", "ours") using 1:2:3:4 with yerrorlines ls 2 title "grpc-xds"

set output folder."/bench_first_clusters.svg"
set title "channel to first RPC, clusters of 10 endpoints"
set xlabel "clusters"
set ylabel "s"
plot of("first_clusters", "host") using 1:2:3:4 with yerrorlines ls 1 title "host's xDS", \
     of("first_clusters", "ours") using 1:2:3:4 with yerrorlines ls 2 title "grpc-xds"

set output folder."/bench_cluster_change.svg"
set title "EDS of one cluster changes: CPU of the client"
set xlabel "clusters"
set ylabel "ms"
plot of("cluster_change", "host") using 1:2:3:4 with yerrorlines ls 1 title "host's xDS", \
     of("cluster_change", "ours") using 1:2:3:4 with yerrorlines ls 2 title "grpc-xds"
