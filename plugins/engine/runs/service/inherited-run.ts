import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ActivityContext, InheritedRun, Reading } from '../contract.ts';
import { readRunRows } from '../store/rows/runs.ts';

/** The subject and the generation of the run that creates another one, and at most its trust. */
export async function inheritedRun(on: Reading, context: ActivityContext): Promise<InheritedRun> {
  const { org_id, project_id, run_id, subject, generation, trusted } = context;
  const [parent] = await readRunRows(on, [run_id]);
  if (!parent) throw Errors.notFound(`the parent run ${run_id} does not exist`);
  return {
    org_id,
    project_id,
    org: parent.org,
    project: parent.project,
    subject: subject ?? undefined,
    trigger: { type: 'spawn', parent: run_id },
    trusted,
    generation,
    priority: parent.priority ?? undefined,
    parent: run_id,
    submitted_by: context.activity_id,
  };
}
