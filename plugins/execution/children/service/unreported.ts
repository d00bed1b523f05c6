import { mayHaveRows } from '../../../../kernel/contracts/index.ts';
import type { Activities, RunObserver } from '../../../engine/runs/contract.ts';
import { type Child, readUnreportedOfRuns } from '../store/rows.ts';

const MAX_LISTED = 20;

/** A successful run notes the children that nobody collected; their outcome does not fail the run. */
export const createUnreportedObserver = (activities: () => Activities): RunObserver => ({
  name: 'children.unreported',
  async onTransitions(tx, runs) {
    const succeeded = new Map(runs.flatMap((run) => (run.type === 'run.succeeded' ? [[run.run_id, run]] : [])));
    if (succeeded.size === 0 || !(await mayHaveRows(tx, 'children_children'))) return;
    const unreported = await readUnreportedOfRuns(tx, [...succeeded.keys()]);
    for (const [run_id, children] of Map.groupBy(unreported, (child) => child.run_id))
      await activities().note(tx, succeeded.get(run_id)!, children[0]!.parent_id, formatNote(children));
  },
});

function formatNote(children: readonly Child[]): string {
  const named = children
    .slice(0, MAX_LISTED)
    .map(({ name, exit_code }) => `- \`${name}\`: exit code ${exit_code ?? '–'}`);
  const omitted = children.length > MAX_LISTED ? [`- and ${children.length - MAX_LISTED} more`] : [];
  const count = children.length === 1 ? '1 child was' : `${children.length} children were`;
  return [`${count} submitted and never collected:`, '', ...named, ...omitted].join('\n');
}
