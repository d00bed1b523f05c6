# Builds a small program, waits for an approval, ships it. Each step is recorded once, whatever is killed.
say() { printf '== %s\n' "$*"; }

work=$DEMO_FOLDER/work
say "a pass begins"
svc step prepare -- mkdir -p "$work"
svc step write --label "write the sources" -- sh -c "printf '#include <stdio.h>\nint main(void) { puts(\"42\"); }\n' > '$work/answer.c'"
svc step build --label "compile, or wrap when there is no compiler" -- sh -c "
  sleep 1
  if command -v cc >/dev/null; then cc -o '$work/answer' '$work/answer.c'; else printf '#!/bin/sh\necho 42\n' > '$work/answer'; chmod +x '$work/answer'; fi
  echo built >> '$DEMO_FOLDER/ledger'"
answer=$(svc step test -- "$work/answer")
say "the program says $answer"

svc sleep 1s
say "waiting for an approval"
approval=$(svc wait-signal approved --timeout 5m)
say "approved: $approval"

svc step ship -- sh -c "echo shipped >> '$DEMO_FOLDER/ledger'; echo https://example.org/releases/1"
svc output set answer="$answer" approval:="$approval"
svc annotate "Shipped **release 1** after an approval."
