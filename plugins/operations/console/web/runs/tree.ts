import type { RunRecord } from '../../../../../cli/generated/api.ts';

/** One line of the list: a run, and those that it called, which are folded below it. */
export interface Family {
  run: RunRecord;
  children: readonly RunRecord[];
}

/** Runs in their order, each below the run that called it where that one is listed too. */
export function familiesOf(runs: readonly RunRecord[]): Family[] {
  const listed = new Set(runs.map(({ run_id }) => run_id));
  const isChild = ({ parent, run_id }: RunRecord) => parent !== undefined && parent !== run_id && listed.has(parent);
  const children = Map.groupBy(runs.filter(isChild), ({ parent }) => parent!);
  /** A child's own children stand beside it: one step in is enough to see whose they are. */
  const below = (run_id: string): RunRecord[] =>
    (children.get(run_id) ?? []).flatMap((run) => [run, ...below(run.run_id)]);
  return runs.filter((run) => !isChild(run)).map((run) => ({ run, children: below(run.run_id) }));
}

/** How many there are of each status, for the bar beside the count. */
export const sharesOf = (runs: readonly RunRecord[]): [status: string, count: number][] =>
  [...Map.groupBy(runs, ({ status }) => status)].map(([status, list]) => [status, list.length]);
