import { createHash } from 'node:crypto';
import type { Run } from '../../runs/contract.ts';
import type { LiveMessage } from '../contract.ts';

/** A record as lists show it, without its output. */
type LiveRun = Omit<Run, 'output'> & { updated_at: string };

/** Returns the record without its output. `updated_at` orders the messages of one run. */
export function runMessage(run: Run, updated_at: string): LiveMessage {
  const { output: _output, ...record } = run;
  return { event: 'run', data: { ...record, updated_at } satisfies LiveRun };
}

/**
 * Returns a short digest that changes with everything that a list shows of a run. Thousands are cached, and annotations
 * may be long.
 */
export function runFingerprint({ status, substate, paused, annotations, finished_at }: Run): string {
  const listed_fields = JSON.stringify([status, substate, paused, finished_at, annotations.length, annotations.at(-1)]);
  return createHash('sha256').update(listed_fields).digest('base64url');
}
