import { createHash } from 'node:crypto';
import type { Run } from '../../runs/contract.ts';
import type { LiveMessage } from '../contract.ts';

/** A record as lists show it, without its output. */
type LiveRun = Omit<Run, 'output'> & { updated_at: string };

/** The record without its output; `updated_at` orders what is told of one run. */
export function runMessage(run: Run, updated_at: string): LiveMessage {
  const { output: _output, ...record } = run;
  return { event: 'run', data: { ...record, updated_at } satisfies LiveRun };
}

/** A short text that changes with whatever a list shows of a run. Thousands are kept, and notes may be long. */
export function shownOf({ status, substate, annotations, finished_at }: Run): string {
  const shown = JSON.stringify([status, substate, finished_at, annotations.length, annotations.at(-1)]);
  return createHash('sha256').update(shown).digest('base64url');
}
