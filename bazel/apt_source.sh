#!/bin/sh
# apt_source PACKAGE FOLDER: finds the apt source from which this system has PACKAGE, and prints its "URI SUITE
# COMPONENT". Writes the file FOLDER/apt.list or FOLDER/apt.sources, with which apt fetches source packages from there.
# The file is a copy of the system's entry for this source, with its keyring and options, and deb-src in place of deb.
set -eu
package=$1 folder=$2

# places ADDRESS: prints apt sources of PACKAGE, as `apt-cache policy` names them, from the lines at sed's ADDRESS.
places() {
  apt-cache policy "$package" | sed -n "$1"'s/^ *-\{0,1\}[0-9]\{1,\} \([^ ]*:.* Packages\)$/\1/p'
}
# The sources of the installed version come first.
all=$(places '/^ \*\*\*/,/^     [^ ]/'; places '')
tab=$(printf '\t')
target=$(apt-get indextargets --format "\$(DESCRIPTION)$tab\$(SOURCESENTRY)$tab\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
  'Created-By: Packages' | awk -F '\t' -v places="$all" '
    BEGIN { n = split(places, place, "\n") }
    { known[$1] = $2 "\t" $3 }
    END { for (i = 1; i <= n; i++) if (place[i] in known) { print known[place[i]]; exit } }')
[ -n "$target" ] || {
  echo "apt_source: apt knows no place that has $package; run apt-get update first" >&2
  exit 1
}
entry=${target%%"$tab"*}
place=${target#*"$tab"}
file=${entry%:*} number=${entry##*:}
# shellcheck disable=SC2086 # three words
set -- $place
case $file in
  *.sources) # the stanza of that number: the fields that do not describe the place are kept
    {
      printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: %s\n' "$1" "$2" "$3"
      awk -v number="$number" '
        /^[[:space:]]*$/ { started = 0; next }
        /^#/ { next }
        !started { started = 1; at++ }
        /^[^ \t]/ { skip = tolower($1) ~ /^(types|uris|suites|components|enabled|architectures|languages|targets):/ }
        at == number && !skip' "$file"
    } > "$folder/apt.sources"
    ;;
  *) # the line of that number
    options=$(sed -n "${number}s/^[[:space:]]*deb[[:space:]]*\(\[[^]]*\]\).*/\1/p" "$file" |
      sed 's/\(arch\|lang\|target\)[-+]\{0,1\}=[^] ]* *//g; s/\[ *\]//')
    echo "deb-src $options $1 $2 $3" > "$folder/apt.list"
    ;;
esac
echo "$place"
