import { createHash } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME = 10;
const REST = 16;

/**
 * The id of the run that an event starts for a handler. It is derived, so repeats give the same id (I8). It begins with
 * the time of the event, so that it sorts like other ids; the rest are 80 bits of a digest of event and handler, and of the
 * replay that starts it.
 */
export const handlerRunId = (event_id: string, name: string, replay?: string): string =>
  derivedId('run', event_id, replay === undefined ? name : `${name}\0${replay}`);

/** The id of the replay that a request with an idempotency key asks for. */
export const keyedReplayId = (event_id: string, name: string, key: string): string =>
  derivedId('rpl', event_id, `${name}\0key\0${key}`);

function derivedId(prefix: string, event_id: string, from: string): string {
  const time = event_id.slice(event_id.indexOf('_') + 1).slice(0, TIME);
  const digest = createHash('sha256').update(`${event_id}\0${from}`).digest();
  let bits = digest.readBigUInt64BE(0) * 65_536n + BigInt(digest.readUInt16BE(8));
  let rest = '';
  for (let place = 0; place < REST; place++) {
    rest = DIGITS[Number(bits % 32n)]! + rest;
    bits /= 32n;
  }
  return `${prefix}_${time}${rest}`;
}
