#!/usr/bin/env bash
# A service as its operator starts it: an empty database, an org, a server and an agent. Prints two lines, the address and
# the token of the owner, and ends with whoever holds its standard input.
set -eu
svc=$1
folder=$(mktemp -d /tmp/svc-standing-XXXXXX)
cd "$folder"
mkdir home work
: >serve.log >agent.log
export HOME=$folder/home SVC_DATABASE_URL=sqlite:$folder/svc.db SVC_PORT=0 SVC_LOG_LEVEL=warn
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT

SVC_TOKEN=$("$svc" admin bootstrap --org standing --project main --user tester --json | field token)
export SVC_TOKEN
"$svc" serve >serve.log 2>&1 &
serve=$!
until SVC_URL=$(sed -n 's/.*svc serve is ready: \([^ ]*\).*/\1/p' serve.log) && [ -n "$SVC_URL" ]; do
  kill -0 "$serve" 2>/dev/null || { cat serve.log >&2; exit 1; }
  sleep 0.1
done
export SVC_URL
"$svc" token create builders --agent --json 2>/dev/null | field token >agent-token
(cd work && exec env -u SVC_TOKEN -u SVC_DATABASE_URL SVC_AGENT_ALLOW_ROOT=on "$svc" agent --token-file ../agent-token) >agent.log 2>&1 &
agent=$!
until grep -q 'svc agent works for' agent.log; do
  kill -0 "$agent" 2>/dev/null || { cat agent.log >&2; exit 1; }
  sleep 0.1
done
echo "$SVC_URL"
echo "$SVC_TOKEN"
cat >/dev/null
