import { insertRows, type Transaction } from '../../../kernel/contracts/index.ts';
import { type Ending, lifecyclePayload, transitionType } from '../domain/lifecycle.ts';
import { runUrl } from '../domain/run-url.ts';
import type { RunTransition } from '../contract.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { tagsOf, triggerOf } from './run-rows.ts';

const COLUMNS = ['run_id', 'type', 'terminal', 'org_id', 'project_id', 'announced_at'];

/** A run that has started or, with an ending, has ended. */
export interface Announcement {
  run: LockedRun;
  ending?: Ending;
}

/**
 * Announces run transitions in their own transaction, by few statements: the keys of `runs_announcements` refuse a
 * second start and a second end (I13). A start stands before the end of its run.
 */
export async function announce(
  tx: Transaction,
  store: StoreParts,
  announcements: readonly Announcement[],
  now: number,
): Promise<void> {
  if (announcements.length === 0) return;
  const transitions = announcements.map((one) => transitionOf(store, one));
  const rows = transitions.map(({ run_id, type, org_id, project_id }, i) => [
    ...[run_id, type, announcements[i]!.ending ? 1 : 0],
    ...[org_id, project_id, now],
  ]);
  await insertRows(tx, 'INSERT INTO runs_announcements', COLUMNS, rows);
  for (const observer of store.observers) await observer.onTransitions(tx, transitions);
}

function transitionOf(store: StoreParts, { run, ending }: Announcement): RunTransition {
  const { org_id, project_id, run_id, subject, generation, workflow } = run;
  const trigger = triggerOf(run);
  const announced = { run_id, workflow, tags: tagsOf(run), trigger };
  return {
    type: transitionType(ending?.status ?? 'running'),
    org_id,
    project_id,
    run_id,
    subject,
    generation,
    trusted: run.trusted === 1,
    trigger,
    trace: store.spans?.of(run) ?? null,
    payload: lifecyclePayload(announced, ending, runUrl(store.public_url, run, run_id)),
  };
}
