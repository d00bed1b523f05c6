import type { LockView, RunView } from './answers.ts';
import { type Explanation, formatAgo, joinWords } from './eligible-agents.ts';

/** A paused run that holds a lock, which others wait for. */
export type PausedHolder = Pick<RunView, 'run_id' | 'paused'>;

interface Holders {
  paused_holders?: readonly PausedHolder[];
  now: number;
}

/** Whom to resume: a paused run keeps its locks and does nothing that would free them. */
export function explainPausedHolders(lock: LockView, { paused_holders = [], now }: Holders): Explanation {
  const held = new Set(lock.holders.map(({ run_id }) => run_id));
  const found = paused_holders.filter(({ run_id }) => held.has(run_id));
  const [first] = found;
  if (!first?.paused) return { because: [], next: [] };
  const { at, by } = first.paused;
  const who = by === undefined ? '' : ` by ${by}`;
  const text =
    found.length === 1
      ? `The run ${first.run_id} holds it and was paused${who} ${formatAgo(at, now)}: it keeps the lock until it is resumed.`
      : `The runs ${joinWords(found.map(({ run_id }) => run_id))} hold it and are paused: they keep the lock until they are resumed.`;
  return { because: [text], next: found.map(({ run_id }) => `resume it: svc resume ${run_id}`) };
}
