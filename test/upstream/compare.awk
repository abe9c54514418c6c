# Compares the results of each suite's runs in out (result, test, attempts) and prints one row for each suite.
# The input is expected.txt, which lists the allowed differences.
function passed(result) { return result == "pass" || result == "skip" }

function read_results(suite, mode, into, path, line, part) {
  path = out "/result/" suite "." mode
  while ((getline line < path) > 0) {
    split(line, part, "\t")
    into[part[2]] = part[1]
    runs[mode]++
    if (part[1] == "other_library") wrong[mode]++
    if (mode == "ours" && part[3] > 1 && passed(part[1])) repeated++
  }
  close(path)
}

# The number of the line of expected.txt for the test, or 0.
function line_of(suite, test, i) {
  for (i = 1; i <= lines; i++) {
    if (line_suite[i] == suite && test ~ ("^(" line_test[i] ")$")) return i
  }
  return 0
}

# Whether expected.txt has each text in which the test differs.
function words_known(suite, test, path, text, i, known) {
  path = out "/log/ours/" suite "/" test ".log.words"
  known = 1
  while ((getline text < path) > 0) {
    for (i = 1; i <= words && text !~ ("^(" words_text[i] ")$"); i++) {
    }
    if (i > words) {
      known = 0
      complain(suite, test, "unknown words: " text)
    }
    used_words[i] = 1
  }
  close(path)
  return known
}

function complain(suite, test, what) { bad[++bads] = suite " " test ": " what }

BEGIN {
  FS = " \\| "
}
/^#/ || /^$/ { next }
$1 == "words" {
  words_text[++words] = $2
  next
}
{
  line_suite[++lines] = $1
  line_test[lines] = $2
}

END {
  n = split(suites, suite, " ")
  row = "%-36s %6s %6s %6s %9s %11s %10s %8s\n"
  printf row, "suite", "tests", "both", "words", "expected", "only stock", "only ours", "neither"
  for (s = 1; s <= n; s++) {
    split("", stock)
    split("", ours)
    split("", count)
    read_results(suite[s], "stock", stock)
    read_results(suite[s], "ours", ours)
    for (test in ours) {
      i = line_of(suite[s], test)
      if (!passed(stock[test])) {
        kind = passed(ours[test]) ? "only_ours" : "neither"
      } else if (passed(ours[test])) {
        kind = "both"
        if (i) complain(suite[s], test, "passes, but is in expected.txt")
      } else if (i && ours[test] ~ /^(fail|words)$/) {
        kind = "expected"
      } else if (ours[test] == "words" && words_known(suite[s], test)) {
        kind = "words"
      } else {
        kind = "only_stock"
        complain(suite[s], test, "passes on the stock library only (" ours[test] ")")
      }
      count["tests"]++; count[kind]++
      all["tests"]++; all[kind]++
    }
    printf row, suite[s], count["tests"] + 0, count["both"] + 0, count["words"] + 0,
           count["expected"] + 0, count["only_stock"] + 0, count["only_ours"] + 0, count["neither"] + 0
  }
  printf row, "all", all["tests"] + 0, all["both"] + 0, all["words"] + 0, all["expected"] + 0,
         all["only_stock"] + 0, all["only_ours"] + 0, all["neither"] + 0
  printf "The plugin's line is in the log of %d of %d runs on it, and of %d of %d on the stock library.\n",
         runs["ours"] - wrong["ours"], runs["ours"], wrong["stock"] + 0, runs["stock"]
  if (repeated) printf "%d tests passed at a later attempt.\n", repeated
  for (i = 1; i <= bads; i++) print bad[i]
  exit bads > 0
}
