# Sends a mail every few days until the last one, or until the reader has had enough.
# OUTBOX is the file that mails go to; PAUSE is the time between two of them.
sent=0
for mail in welcome tips offer; do
  svc step send --label "$mail" -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY $1" >> "$OUTBOX"' sh "$mail"
  sent=$((sent + 1))
  svc state set last "$mail"
  if [ "$mail" = offer ]; then break; fi
  if reason=$(svc wait-signal unsubscribe --timeout "${PAUSE:-3d}"); then
    svc output set outcome=unsubscribed sent="$sent" reason:="$reason"
    exit 0
  fi
done
svc output set outcome=finished sent="$sent"
