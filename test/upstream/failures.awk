# Reads the log of one failed test and prints the texts of errors that differ from upstream's. Fails if
# anything else differs: a status code, a count, or an ASSERT that is not about a text.
function end_block() {
  if (kind != "" && !told) other = 1
  kind = ""
}
function tell(line) {
  sub(/^[^"]*"/, "", line)
  sub(/"[^"]*$/, "", line)
  print line
  told = 1
}

/: Failure$/ { end_block(); kind = "new"; told = 0; failures++; next }
kind == "new" {
  kind = "other"
  if (/^Value of: .*error_message/) kind = "value"
  if (/^Expected equality of these values:$/) kind = "equal"
  next
}
kind == "value" && /^  Actual: "/ { tell($0); kind = "done" }
kind == "equal" && /^  [^ ]/ { is_text = /error_message/; next }
kind == "equal" && /^    Which is: "/ && is_text { tell($0); kind = "done" }

END {
  end_block()
  exit other || failures == 0
}
