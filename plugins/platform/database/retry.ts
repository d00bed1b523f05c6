import type { Clock, Ids } from '../../../kernel/contracts/index.ts';

const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 400;

/**
 * Pauses before another attempt; `attempt` is 1 before the second one. The pause doubles each time and has full jitter, so that
 * competing callers drift apart.
 */
export function pause(attempt: number, deps: { clock: Clock; ids: Ids }): Promise<void> {
  const max_ms = Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
  const jitter = deps.ids.bytes(2).readUInt16BE(0) / 0x10000;
  return new Promise((resolve) => {
    deps.clock.after(Math.ceil(max_ms * jitter), resolve);
  });
}
