import type { Clock, Ids } from '../../kernel/contracts/index.ts';

const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 400;

/**
 * The pause before attempt `attempt` (1 is the second): it doubles, with full jitter, so that competing callers
 * separate.
 */
export function pause(attempt: number, deps: { clock: Clock; ids: Ids }): Promise<void> {
  const most_ms = Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
  const jitter = deps.ids.bytes(2).readUInt16BE(0) / 0x10000;
  return new Promise((resolve) => {
    deps.clock.after(Math.ceil(most_ms * jitter), resolve);
  });
}
