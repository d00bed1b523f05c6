import { iso } from '../../../../kernel/contracts/index.ts';
/** An event of the awaited type that did not end the wait. */
export interface NearMiss {
  event_id: string;
  /** Epoch ms. */
  at: number;
  why: string;
}

/** Explains why a wait timed out, listing the events of its type that did not end it. */
export function expiryMessage(type: string, misses: readonly NearMiss[]): string {
  const none = `no event ${type} arrived before the timeout`;
  if (misses.length === 0) return none;
  const lines = misses.map(({ event_id, at, why }) => `  ${event_id} at ${iso(at)}: ${why}`);
  return `${none}; these did not end the wait:\n${lines.join('\n')}`;
}
