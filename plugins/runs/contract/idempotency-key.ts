import { hash } from 'node:crypto';

/** Hashes parts with their lengths, so that two lists of parts never collide. */
function digest(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex');
}

/**
 * `SVC_IDEMPOTENCY_KEY`: 64 hex digits from run, activity and site, never from the attempt. The far end of a step
 * recognises a repeat after a crash, and never confuses two runs.
 */
export function idempotencyKey(
  run: { run_id: string; activity_id: string },
  site: { kind: string; name: string; ordinal: number },
): string {
  return digest(['svc/step/v1', run.run_id, run.activity_id, site.kind, site.name, String(site.ordinal)]);
}
