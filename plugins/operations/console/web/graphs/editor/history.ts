/** Documents before, now and after. Each is whole: they share what did not change. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the newest change was part of, and when it was. */
  readonly burst?: { name: string; at: number } | undefined;
}

const MAX_PAST = 200;
/** Changes of one burst that follow each other within this time are one step back. */
const BURST_MS = 1000;

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** `burst`: changes of the same name, soon after each other, are undone together. */
export function change<T>(history: History<T>, present: T, at: number, burst?: string): History<T> {
  if (present === history.present) return history;
  const now = burst === undefined ? undefined : { name: burst, at };
  const goesOn = now && history.burst?.name === now.name && at - history.burst.at < BURST_MS;
  if (goesOn && history.future.length === 0) return { ...history, present, burst: now };
  return { past: [...history.past, history.present].slice(-MAX_PAST), present, future: [], burst: now };
}

export function undo<T>({ past, present, future }: History<T>): History<T> {
  const before = past.at(-1);
  if (before === undefined) return { past, present, future };
  return { past: past.slice(0, -1), present: before, future: [present, ...future] };
}

export function redo<T>({ past, present, future }: History<T>): History<T> {
  const [after, ...rest] = future;
  if (after === undefined) return { past, present, future };
  return { past: [...past, present], present: after, future: rest };
}
