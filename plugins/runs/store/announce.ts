import { insertRows, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Ending, lifecyclePayload, transitionType } from '../domain/lifecycle.ts';
import { runUrl } from '../domain/run-url.ts';
import type { RunTransition } from '../contract.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { tagsOf, triggerOf } from './run-rows.ts';

const COLUMNS = ['run_id', 'type', 'terminal', 'org_id', 'project_id', 'announced_at'];

/**
 * Announces run transitions in their own transaction: the keys of `runs_announcements` refuse a second start and a
 * second end (I13). Without `ending` the runs have started.
 */
export async function announce(
  tx: Transaction,
  store: StoreParts,
  runs: readonly LockedRun[],
  ending: Ending | undefined,
  now: number,
): Promise<void> {
  const type = transitionType(ending?.status ?? 'running');
  const rows = runs.map((run) => [run.run_id, type, ending ? 1 : null, run.org_id, run.project_id, now]);
  await insertRows(tx, 'INSERT INTO runs_announcements', COLUMNS, rows);
  if (store.observers.length === 0 || runs.length === 0) return;
  const transitions = runs.map((run) => transitionOf(store, run, type, ending));
  for (const observer of store.observers) await observer.onTransitions(tx, transitions);
}

function transitionOf(
  store: StoreParts,
  run: LockedRun,
  type: RunTransition['type'],
  ending: Ending | undefined,
): RunTransition {
  const { org_id, project_id, run_id, subject, generation, workflow } = run;
  const trigger = triggerOf(run);
  const announced = { run_id, workflow, tags: tagsOf(run), trigger };
  return {
    type,
    org_id,
    project_id,
    run_id,
    subject,
    generation,
    trusted: run.trusted === 1,
    trigger,
    payload: lifecyclePayload(announced, ending, runUrl(store.public_url, run, run_id)),
  };
}
