import { useQuery } from '@tanstack/react-query';
import type { ListSteps200, NodeRecord, RunRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query } from '../api/paths.ts';

export type AnyStep = StepRecord | NodeRecord;

const PAGE = 200;
export const OPEN = ['queued', 'running', 'waiting'];

/** Pages that end before this one did not change: what is recorded stays as it is. */
interface Read {
  steps: AnyStep[];
  /** Of the last page that was read. */
  last: string | undefined;
  /** Steps before that page. */
  sure: number;
  /** False while the first reading goes on. */
  whole: boolean;
}

const NOTHING: Read = { steps: [], last: undefined, sure: 0, whole: false };

export const stepsKey = (path: string) => ['steps', path];

/** All steps of a run. Read again, it begins at the last page whose calls were all recorded. */
export function useSteps(path: string, run: RunRecord | undefined) {
  return useQuery({
    queryKey: stepsKey(path),
    enabled: run !== undefined,
    structuralSharing: false,
    queryFn: async ({ signal, client, queryKey }) =>
      readOn(path, client.getQueryData<Read>(queryKey) ?? NOTHING, signal, (read) => {
        // Whoever has called this reading off reads on behind what it has told.
        if (!signal.aborted) client.setQueryData<Read>(queryKey, read);
      }),
  });
}

async function readOn(path: string, before: Read, signal: AbortSignal, tell: (read: Read) => void): Promise<Read> {
  let told = before.steps.length;
  const steps = before.steps.slice(0, before.sure);
  let [cursor, last, sure] = [before.last, before.last, before.sure];
  let certain = true;
  for (;;) {
    const page = await json<ListSteps200>(`${path}/steps${query({ limit: PAGE, cursor, output: true })}`, { signal });
    const found = page.steps as AnyStep[];
    certain &&= found.every(isSure);
    steps.push(...found);
    if (!page.next_cursor) return { steps, last, sure, whole: true };
    cursor = page.next_cursor;
    if (certain) [last, sure] = [cursor, steps.length];
    // Each time twice as many: what is drawn of all of them is then drawn a few times, however many they are.
    if (steps.length < 2 * told) continue;
    told = steps.length;
    tell({ steps: [...steps], last, sure, whole: before.whole });
  }
}

/** Recorded for good. Nodes may change until the run is over. */
const isSure = (step: AnyStep): boolean => 'position' in step && step.status === 'recorded' && !step.child && !step.run;
