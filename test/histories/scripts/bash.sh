# Every verb from bash, each outcome it can have, and an output made of all that came back.
said=
say() { said="$said$1;"; }
for word in one two two; do say "$(svc step "$word" --label "The word $word" -- echo "$word")"; done
svc step fails -- sh -c 'echo before; exit 3' > /dev/null || say "fails $?"
svc step absent -- /no/such/program || say "absent $?"
svc step killed -- sh -c 'kill -9 $$' || say "killed $?"
svc step over -- head -c 2097153 /dev/zero || say "over $?"
say "$(svc step bytes -- printf 'a\0b\377' | od -An -tx1 | tr -d ' ')"
say "$(svc step 'a name: ä / "b"' -- printf '%s' 'no newline')"
svc state set cell first; svc state set shared second --entity histories
say "$(svc state get cell) $(svc state get shared --entity histories) $(svc state list | tr '\n' ' ')"
svc state delete cell; svc state get cell || say "no cell $?"
svc sleep 0s; svc sleep 20ms
say "$(svc wait-signal go)"
svc wait-signal never --timeout 20ms || say "late $?"
svc wait-event histories.never --timeout 20ms || say "late event $?"
[ -n "$(svc emit histories.made --payload '{"n": 1}')" ] && say emitted
say "$(svc lock histories-a -- echo held)"
svc lock histories-b -- sh -c 'exit 5' || say "held $?"
svc lock histories-c
say "$(svc activity far --requires bash -- echo far)"
svc activity-submit child --requires bash -- sh -c 'echo child; exit 4'
say "$(svc activity-collect child || echo "child $?")"
say "$(svc activity-wait-all)"
(svc step in-a-subshell -- echo sub) | while read -r line; do say "$line"; svc step in-a-loop -- echo "$line"; done > /dev/null
env svc step by-the-program -- true
svc annotate 'a note'
svc wait-signal end > /dev/null
svc output set said="$said"
