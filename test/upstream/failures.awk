# The log of one failed test: prints the texts of errors that were not as upstream has them. Fails when
# anything else was not as expected: a status code, a count, an ASSERT that is no text's.
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
