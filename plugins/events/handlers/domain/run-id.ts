import { createHash } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const DIGEST_DIGITS = 16;

/**
 * Returns the id of the run that an event starts for a handler. It is derived, so that a repeat yields the same id
 * (I8). It begins with the time of the event, so that it sorts like other ids; the rest is 80 bits of a digest of the
 * event, the handler and the replay that starts it.
 */
export const handlerRunId = (event_id: string, name: string, replay?: string): string =>
  deriveId('run', event_id, replay === undefined ? name : `${name}\0${replay}`);

/** Returns the id of the replay requested with an idempotency key. */
export const keyedReplayId = (event_id: string, name: string, key: string): string =>
  deriveId('rpl', event_id, `${name}\0key\0${key}`);

/** Returns the ID of a replay of many events that is requested with an idempotency key. */
export const bulkReplayId = (project_id: string, key: string): string => deriveId('rpl', project_id, `\0bulk\0${key}`);

function deriveId(prefix: string, event_id: string, source: string): string {
  const time = event_id.slice(event_id.indexOf('_') + 1).slice(0, TIME_DIGITS);
  const digest = createHash('sha256').update(`${event_id}\0${source}`).digest();
  let bits = digest.readBigUInt64BE(0) * 65_536n + BigInt(digest.readUInt16BE(8));
  let digest_part = '';
  for (let digit = 0; digit < DIGEST_DIGITS; digit++) {
    digest_part = DIGITS[Number(bits % 32n)]! + digest_part;
    bits /= 32n;
  }
  return `${prefix}_${time}${digest_part}`;
}
