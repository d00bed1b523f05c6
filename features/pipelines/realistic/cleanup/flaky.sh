# Succeeds at the third call.
echo call >> "$LEDGER/calls"
test "$(wc -l < "$LEDGER/calls")" -ge 3
