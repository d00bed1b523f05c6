import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { RunWork } from '../contract.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';

/** A run whose row is locked, and whether something of it is queued or running. */
export interface ToldWork {
  run: Pick<LockedRun, 'run_id' | 'org_id' | 'project_id' | 'trigger_name'>;
  working: boolean;
}

/** Tells those whom these runs concern. Costs nothing for any other run. */
export async function tellWork(
  tx: Transaction,
  store: Pick<StoreParts, 'work_observers'>,
  told: readonly ToldWork[],
): Promise<void> {
  for (const observer of store.work_observers) {
    const concerned = told.filter(({ run }) => observer.concerns(run.trigger_name));
    if (concerned.length > 0) await observer.onWork(tx, concerned.map(workOf));
  }
}

const workOf = ({ run: { run_id, org_id, project_id }, working }: ToldWork): RunWork => ({
  ...{ run_id, org_id, project_id },
  working,
});
