# Builds a version, waits for somebody's approval, switches over, and goes back when the new version is not healthy.
# SITE is the folder that is served; VERSION is what to build; PATIENCE is how long an approval is waited for.
previous=$(svc step current -- cat "$SITE/current")
svc step build -- sh -c 'mkdir -p "$SITE/builds" && printf %s "$VERSION" > "$SITE/builds/$VERSION" && echo built'
svc annotate "Version **$VERSION** is built. \`svc signal $SVC_WORKFLOW_ID approve --payload '{\"ok\":true}'\` ships it."

if ! decision=$(svc wait-signal approve --timeout "${PATIENCE:-2h}"); then
  svc output set outcome=expired version="$previous"
  exit 0
fi
if [[ $decision != *'"ok":true'* ]]; then
  svc output set outcome=refused version="$previous"
  exit 0
fi

svc step switch --label "to $VERSION" -- sh -c 'cp "$SITE/builds/$VERSION" "$SITE/next" && mv "$SITE/next" "$SITE/current"'
if svc step healthy -- sh -c 'grep -qx "$VERSION" "$SITE/healthy"'; then
  svc output set outcome=deployed version="$VERSION"
else
  svc step roll-back --label "to $previous" -- sh -c 'printf %s "$1" > "$SITE/next" && mv "$SITE/next" "$SITE/current"' sh "$previous"
  svc output set outcome=rolled-back version="$previous"
fi
