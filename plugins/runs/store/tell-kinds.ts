import { distinct, type Transaction } from '../../../kernel/contracts/index.ts';
import type { WaitRef } from '../contract.ts';
import type { StoreParts } from './parts.ts';

/** A wait that has ended in this transaction. */
export type EndedWait = WaitRef & { kind: string };

/** Lets the kinds of ended waits remove their registrations. */
export async function tellKinds(tx: Transaction, store: StoreParts, waits: readonly EndedWait[]): Promise<void> {
  for (const name of distinct(waits, ({ kind }) => kind)) {
    const kind = store.wait_kinds.get(name);
    if (!kind?.ended) continue;
    const own = waits.filter((wait) => wait.kind === name);
    await kind.ended(
      tx,
      own.map(({ run_id, activity_id, position }) => ({ run_id, activity_id, position })),
    );
  }
}
