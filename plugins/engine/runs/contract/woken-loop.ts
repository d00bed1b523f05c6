import type { Cancel, WorkLoop } from '../../../../kernel/contracts/index.ts';
import type { Wakeups } from './engine.ts';

export interface Waking {
  wakeups: Pick<Wakeups, 'onTopic'>;
  topic: string;
  /** How long the loop waits after a wake-up; 0 by default. */
  delay_ms?: number;
}

/** Starts a loop that a topic wakes. The returned function stops both; it resolves when the last round is over. */
export function startWoken(loop: WorkLoop, { wakeups, topic, delay_ms }: Waking): () => Promise<void> {
  const off: Cancel = wakeups.onTopic(topic, () => loop.wake(delay_ms));
  const stop = loop.start();
  return () => {
    off();
    return stop();
  };
}
