echo "a pass begins"
built=$(svc step build --label "Build it" -- sh -c 'echo ran >> {folder}/commands; echo built')
for n in 1 2; do
  svc step round -- sh -c "echo ran >> {folder}/commands; echo 'round $n of $built'"
done
code=0
svc step fragile -- sh -c 'echo ran >> {folder}/commands; exit 7' || code=$?
svc sleep 50ms
approval=$(svc wait-signal approval)
svc state set approval "$approval"
svc step use -- printf '%s after %s' "$approval" "$code"
svc output set built="$built" code:="$code"
svc annotate "# Built"
