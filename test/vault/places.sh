#!/bin/bash
# Puts its secret into every argument of every verb that takes a text. What is refused is as good as what is done.
say() { "$@" || echo "exit $?"; }
say svc step "name-$CANARY" --label "label $CANARY" -- sh -c "echo '$CANARY' >&2; echo '$CANARY'"
say svc step fails -- sh -c "echo 'argument $CANARY' >&2; exit 3"
say svc step "tried-$CANARY" --label "tried $CANARY" --retry 3 --backoff 10ms -- sh -c "echo '$CANARY'; echo 'attempt $CANARY' >&2; exit 3"
say svc step in-time --retry 2 --backoff 10ms --timeout 300ms -- sh -c "echo '$CANARY'; echo '$CANARY' >&2; sleep 5"
say svc step not-there --retry 2 --backoff 10ms -- "/nowhere/$CANARY"
say svc activity tried-child --retry 2 --backoff 10ms -- sh -c "echo '$CANARY'; echo 'attempt $CANARY' >&2; exit 2"
say svc activity-submit "tried-later-$CANARY" --retry 2 --backoff 10ms --timeout 300ms -- sh -c "echo '$CANARY'; sleep 5"
say svc activity-collect "tried-later-$CANARY"
say svc input "path-$CANARY"
say svc input given
echo "arguments: $*"
say svc activity "child-$CANARY" -- sh -c "echo 'argument $CANARY'"
say svc activity plain-child -- sh -c "echo 'argument $CANARY'; echo '$CANARY' >&2"
say svc activity-submit "later-$CANARY" -- sh -c "echo '$CANARY'"
say svc activity-submit later -- printf %s "$CANARY"
say svc activity-collect "later-$CANARY"
say svc activity-collect later
say svc activity-wait-all
printf '#!/bin/bash\nsvc step made -- echo "%s"\necho "%s"\nsvc output set x="%s"\n' "$CANARY" "$CANARY" "$CANARY" > spawned.sh
cp spawned.sh "spawned-$CANARY.sh"
say svc spawn spawned.sh --tag "tag-$CANARY"
say svc spawn - --tag plain < spawned.sh
say svc spawn "spawned-$CANARY.sh"
mkdir -p "beside-$CANARY" && cp spawned.sh "beside-$CANARY/lib-$CANARY.sh"
say svc spawn spawned.sh --include "beside-$CANARY" --tag plain
say svc emit "places.emitted" --key "key-$CANARY" --payload "{\"value\":\"$CANARY\",\"$CANARY\":1}"
say svc state set "cell-$CANARY" "$CANARY"
say svc state get "cell-$CANARY"
say svc state list
say svc state set "cell-$CANARY" "$CANARY" --entity "entity-$CANARY"
say svc state get "cell-$CANARY" --entity "entity-$CANARY"
say svc state list --entity "entity-$CANARY"
say svc state get "missing-$CANARY"
say svc lock "group-$CANARY" --timeout 5s -- echo "$CANARY"
say svc lock "held-$CANARY"
say svc annotate "note $CANARY"
say svc output set "key-$CANARY=$CANARY" "json:=[\"$CANARY\"]"
mkdir -p "files-$CANARY" && echo public > "files-$CANARY/name-$CANARY.txt"
say svc artifact put "files-$CANARY"
say svc artifact put "files-$CANARY/name-$CANARY.txt" --as "as-$CANARY/x.txt"
say svc call node set --config "{\"value\":\"$CANARY\"}" --input "{\"value\":\"$CANARY\"}"
cat > graph.json <<GRAPH
{"version": "svc-graph/v1",
 "nodes": [
   {"id": "say", "type": "shell", "config": {"script": "echo $CANARY; svc output set text=$CANARY", "env": {"X": "$CANARY"}}},
   {"id": "tell", "type": "emit", "config": {"type": "graph.told", "key": {"\$expr": "nodes.say.output.text"}, "payload": {"\$expr": "nodes.say.output"}}}],
 "edges": [{"from": "say", "to": "tell"}], "tags": ["graph-$CANARY"]}
GRAPH
cp graph.json "graph-$CANARY.json"
say svc call graph --definition "graph-$CANARY.json" --input "{\"value\":\"$CANARY\"}"
say svc call graph --definition graph.json --input "{\"value\":\"$CANARY\"}"
say svc wait-signal "signal-$CANARY" --timeout 100ms
say svc wait-signal go
say svc wait-event places.answer --timeout 100ms
say svc wait-event places.answer --when "event.payload[\"$CANARY\"] == vars.x" --var "x=$CANARY" --timeout 100ms
say svc wait-event places.emitted --when "event.payload.value == vars.$CANARY" --timeout 100ms
echo "$CANARY" >&2
if [ "$END" = fail ]; then echo "last words $CANARY" >&2; exit 4; fi
