import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Derives the id of the run of a webhook's workflow from the event, so that repeats give the same id. Handler names
 * contain no colon.
 */
export function inlineRunId(event_id: string, webhook: string): string {
  const time = event_id.slice(event_id.indexOf('_') + 1).slice(0, 10);
  const digest = createHash('sha256').update(`${event_id} webhook:${webhook}`).digest();
  let bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`);
  let text = '';
  for (let count = 0; count < 16; count++) {
    text = CROCKFORD[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return `run_${time}${text}`;
}
