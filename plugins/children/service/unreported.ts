import type { Activities, RunObserver } from '../../runs/contract.ts';
import { type Child, unreportedOfRuns } from '../store/rows.ts';

const NAMED = 20;

/** A successful run lists the children that nobody collected; their outcome does not fail the run. */
export const noteUnreported = (activities: () => Activities): RunObserver => ({
  name: 'children.unreported',
  async onTransitions(tx, runs) {
    const succeeded = new Map(runs.flatMap((run) => (run.type === 'run.succeeded' ? [[run.run_id, run]] : [])));
    const unreported = await unreportedOfRuns(tx, [...succeeded.keys()]);
    for (const [run_id, children] of Map.groupBy(unreported, (child) => child.run_id))
      await activities().note(tx, succeeded.get(run_id)!, children[0]!.parent_id, noteOf(children));
  },
});

function noteOf(children: readonly Child[]): string {
  const named = children.slice(0, NAMED).map(({ name, exit_code }) => `- \`${name}\`: exit code ${exit_code ?? '–'}`);
  const more = children.length > NAMED ? [`- and ${children.length - NAMED} more`] : [];
  const count = children.length === 1 ? '1 child was' : `${children.length} children were`;
  return [`${count} submitted and never collected:`, '', ...named, ...more].join('\n');
}
