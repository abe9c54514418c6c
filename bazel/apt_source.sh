#!/bin/sh
# apt_source PACKAGE FOLDER: where this system has PACKAGE from, for its sources: writes the file FOLDER/apt.list or
# FOLDER/apt.sources, which is what apt's own configuration says of that place (its keyring, its options) with deb-src
# for deb. Prints "URI SUITE COMPONENT".
set -eu
package=$1 folder=$2

# The places, as `apt-cache policy` names them: first those of the installed version.
places() {
  apt-cache policy "$package" | sed -n "$1"'s/^ *-\{0,1\}[0-9]\{1,\} \([^ ]*:.* Packages\)$/\1/p'
}
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
  *.sources) # the stanza of that number; all of it stays but for what says which place it is
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
