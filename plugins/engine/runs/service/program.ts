import {
  type CheckedDocument,
  type PlannedProgram,
  type Reading,
  runNotFound,
  type WorkflowKind,
} from '../contract.ts';
import { readRunRows } from '../store/rows/runs.ts';
import { documentOf, findKind, planOn } from './engine.ts';

interface OfRun {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The activity of a program, for the run that it is a job of; undefined for what is a run of its own. */
export async function planProgram(
  kinds: readonly WorkflowKind[],
  on: Reading,
  { run_id, ...ids }: OfRun,
  given: CheckedDocument,
): Promise<PlannedProgram | undefined> {
  const kind = findKind(kinds, given);
  if (!kind.replays || given.source === undefined) return undefined;
  const [run] = await readRunRows(on, [run_id]);
  if (!run) throw runNotFound(run_id);
  const scope = { ...ids, org: run.org, project: run.project };
  const document = documentOf(given, { source: given.source });
  const { activities, coordination } = await planOn(on, () => kind.plan(on, scope, document));
  if (coordination !== undefined || activities.length !== 1) return undefined;
  return { activity: activities[0]!, input_schema: await kind.inputSchema?.(on, scope, document) };
}
