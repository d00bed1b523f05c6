import { retryUnknownCommit, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityScope, CoordinatedRun } from '../contract.ts';
import type { StoreParts } from './parts.ts';
import { settleRun } from './run-end.ts';
import { isTerminal, lockRunOf } from './run-rows.ts';

/** A transaction in which the coordinator of a run continues. */
export async function advanceRun(
  store: StoreParts,
  scope: ActivityScope,
  work: (tx: Transaction, run: CoordinatedRun) => Promise<void>,
): Promise<void> {
  await store.sealer.prepare(scope.org_id);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, scope);
      if (!isTerminal(run)) await settleRun(tx, store, run, { work: (_coordinator, held) => work(tx, held) });
    }),
  );
}
