/** An event of the awaited type that did not end a wait. */
export interface NearMiss {
  event_id: string;
  /** Epoch ms. */
  at: number;
  why: string;
}

/** Why a wait ended without its event, with those that it did not take: the reader's next question. */
export function expiryMessage(type: string, misses: readonly NearMiss[]): string {
  const none = `no event ${type} came within the time given`;
  if (misses.length === 0) return none;
  const lines = misses.map(({ event_id, at, why }) => `  ${event_id} at ${new Date(at).toISOString()}: ${why}`);
  return `${none}; these did not end the wait:\n${lines.join('\n')}`;
}
