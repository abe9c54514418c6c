# Reads statements.yaml, then the tests, and prints the document. Fails with a message on stderr if a
# statement has neither a test nor a reason, or has both, or if a tag has no statement.

function complain(words) {
  print words > "/dev/stderr"
  failed = 1
}

# Text for a cell of a table.
function cell(text) {
  gsub(/\|/, "\\|", text)
  return text
}

function tag(comment, test,    id) {
  while (match(comment, /[AE][0-9]+\.[0-9]+/)) {
    id = substr(comment, RSTART, RLENGTH)
    comment = substr(comment, RSTART + RLENGTH)
    if (!(id in says)) {
      complain(FILENAME ":" FNR ": no statement " id)
    } else if (index(proof[id], "`" test "`") == 0) {
      proof[id] = proof[id] (proof[id] == "" ? "" : "<br>") "`" test "` (" short(FILENAME) ")"
    }
  }
}

function short(path) {
  sub(/^test\//, "", path)
  return path
}

function comment_of(line) {
  return match(line, /\/\/.*/) ? substr(line, RSTART) : ""
}

FNR == 1 {
  after = ""
  waiting = ""
  row_count = 0
  table = ""
}

FILENAME ~ /\.yaml$/ {
  if ($0 ~ /^(#|$)/) next
  colon = index($0, ": ")
  key = substr($0, 1, colon - 1)
  value = substr($0, colon + 2)
  if (colon == 0 || value == "") {
    complain(FILENAME ":" FNR ": neither a statement nor a reason")
  } else if (key ~ /^[AE][0-9]+$/) {
    grfcs[++grfc_count] = key
    title[key] = value
  } else if (key ~ /^[AE][0-9]+\.[0-9]+$/) {
    if (key in says) complain(FILENAME ":" FNR ": " key " is there already")
    ids[++id_count] = key
    says[key] = value
  } else if (key ~ /^[AE][0-9]+\.[0-9]+ (not_applicable|not_yet)$/) {
    split(key, part, " ")
    if (!(part[1] in says) || (part[1] in kind)) {
      complain(FILENAME ":" FNR ": a reason belongs after its statement, once")
    }
    kind[part[1]] = part[2]
    reason[part[1]] = value
  } else {
    complain(FILENAME ":" FNR ": " key " is no id")
  }
  next
}

/^TEST(_F|_P)?\(/ {
  name = $0
  sub(/^[^(]*\(/, "", name)
  sub(/\).*/, "", name)
  sub(/, */, ".", name)
  tag(comment_of($0), name)
  after = name
  next
}

after != "" {
  if ($0 ~ /^ *\/\//) tag($0, after)
  after = ""
  next
}

# Cases of a table, which go to the suite that is made of them further down.
/^ *\/\/ [AE][0-9]+\.[0-9]+/ {
  waiting = waiting " " $0
  next
}

waiting != "" && /^ *[A-Z][a-z]+\($/ {
  next
}

waiting != "" && match($0, /^ *(\{|[A-Z][a-z]+\()?"[A-Za-z0-9_]+"/) {
  name = $0
  sub(/^[^"]*"/, "", name)
  sub(/".*/, "", name)
  row_tags[++row_count] = waiting
  row_name[row_count] = name
  row_table[row_count] = table
}

waiting != "" {
  if ($0 !~ /^ *(\{|[A-Z][a-z]+\()?"/) complain(FILENAME ":" FNR - 1 ": a tag of neither a test nor a case")
  waiting = ""
}

/^std::vector<Malformed> [A-Za-z]+\(\)/ {
  table = $2
}

/^MALFORMED_SUITE\(/ {
  split($0, part, /[(,) ]+/)
  for (i = 1; i <= row_count; i++) {
    if (row_table[i] == part[4] "()") tag(row_tags[i], part[2] ".IsRefusedWithAllErrors/" row_name[i])
  }
}

function outcome(id) {
  if (id in kind) return (kind[id] == "not_yet" ? "**not yet**: " : "not applicable: ") cell(reason[id])
  return proof[id]
}

function number_of(grfc, what,    i, n) {
  n = 0
  for (i = 1; i <= id_count; i++) {
    if (grfc != "" && index(ids[i], grfc ".") != 1) continue
    if (what == "all" || what == ((ids[i] in kind) ? kind[ids[i]] : "proven")) n++
  }
  return n
}

function summary_row(name, grfc) {
  print "| " name " | " number_of(grfc, "all") " | " number_of(grfc, "proven") " | " \
    number_of(grfc, "not_applicable") " | " number_of(grfc, "not_yet") " |"
}

END {
  for (i = 1; i <= id_count; i++) {
    id = ids[i]
    if (!(id in kind) && proof[id] == "") complain(id " has neither a test nor a reason")
    if ((id in kind) && proof[id] != "") complain(id " has a reason and a test: " proof[id])
  }
  print "# Conformance"
  print ""
  print "This page shows which test proves which rule. The statements are what the gRFCs require of an xDS client, in our"
  print "words. If a later gRFC replaces a statement, the later statement applies. Statements that begin with E are about"
  print "features of Envoy for which there is no gRFC. The [last section](#tests-of-features) has the tests of each feature."
  print ""
  print "`make conformance` generates this page from `test/conformance/statements.yaml`, the tags in the tests, and"
  print "`test/conformance/features.md.in`. `make lint` fails if the page is out of date."
  print ""
  print "| gRFC | statements | proven | not applicable | not yet |"
  print "|---|---|---|---|---|"
  for (g = 1; g <= grfc_count; g++) summary_row(grfcs[g], grfcs[g])
  summary_row("all", "")
  for (g = 1; g <= grfc_count; g++) {
    print ""
    print "## " grfcs[g] " " title[grfcs[g]]
    print ""
    print "| id | statement | proof |"
    print "|---|---|---|"
    for (i = 1; i <= id_count; i++) {
      if (index(ids[i], grfcs[g] ".") != 1) continue
      print "| " ids[i] " | " cell(says[ids[i]]) " | " outcome(ids[i]) " |"
    }
  }
  exit failed
}
