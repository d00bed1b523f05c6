import { hash } from 'node:crypto';

/** Hashes parts so that no two lists of parts meet: each goes in with its length. */
function digest(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex');
}

/**
 * `SVC_IDEMPOTENCY_KEY`: 64 hex digits from run, activity and site, never from the attempt, so that a step that is
 * run again after a crash is known again by whatever it talks to, and one of another run is not.
 */
export function idempotencyKey(
  run: { run_id: string; activity_id: string },
  site: { kind: string; name: string; ordinal: number },
): string {
  return digest(['svc/step/v1', run.run_id, run.activity_id, site.kind, site.name, String(site.ordinal)]);
}
