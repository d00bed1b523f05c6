import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { WaitOutcome, WaitRef } from '../contract.ts';
import { checkOutcome, WAIT_OUTPUT_BYTES } from '../domain/record-rules.ts';
import { distinct, inList, inState } from './batches.ts';
import { insertRecords, recordOf, sealRecord } from './journal.ts';
import type { StoreParts } from './parts.ts';
import { lockRuns, mustChange } from './run-rows.ts';
import { callOf, endWaits, readWaits, WAITS_AT_ONCE, type WaitRow } from './wait-rows.ts';

export interface Resolution {
  state: 'resolved' | 'expired';
  outcome(wait: WaitRow): WaitOutcome | Promise<WaitOutcome>;
}

/**
 * armed → ended, for many waits in few statements: the records are written and the activities can be claimed again.
 * Answers the waits that this ended; the others had another outcome before (I9). The orgs' keys must be ready.
 */
export async function resolveWaits(
  tx: Transaction,
  store: StoreParts,
  waits: readonly WaitRef[],
  resolution: Resolution,
): Promise<WaitRow[]> {
  await lockRuns(
    tx,
    waits.map(({ run_id }) => run_id),
    { columns: 'run_id' },
  );
  const ended: WaitRow[] = [];
  for (let from = 0; from < waits.length; from += WAITS_AT_ONCE)
    ended.push(...(await resolveSome(tx, store, waits.slice(from, from + WAITS_AT_ONCE), resolution)));
  return ended;
}

async function resolveSome(
  tx: Transaction,
  store: StoreParts,
  waits: readonly WaitRef[],
  { state, outcome }: Resolution,
): Promise<WaitRow[]> {
  const armed = (await readWaits(tx, waits)).filter((wait) => wait.state === 'armed');
  if (armed.length === 0) return [];
  const now = store.database.now();
  const outcomes: WaitOutcome[] = [];
  for (const wait of armed) outcomes.push(await outcome(wait));
  const ended = await endWaits(tx, armed, state, now);
  if (ended !== armed.length) throw new Error(`${ended} waits ended instead of ${armed.length}`);
  const records = armed.map((wait, i) => {
    const result = outcomes[i]!;
    checkOutcome(result, WAIT_OUTPUT_BYTES);
    return sealRecord(store.sealer, wait, wait.epoch, recordOf(callOf(wait), result));
  });
  await insertRecords(tx, records, now);
  await wakeActivities(tx, armed, now);
  await tellKinds(tx, store, armed);
  const run_ids = distinct(armed, ({ run_id }) => run_id);
  const runs = inList(run_ids);
  await tx.write(
    `UPDATE runs_runs SET status = 'running' WHERE status = 'waiting' AND run_id IN ${runs.marks}`,
    runs.params,
  );
  tx.afterCommit(() => {
    store.wakeups.work();
    for (const run_id of run_ids) store.wakeups.run(run_id);
  });
  return armed;
}

/** Lets the kinds of waits that have ended remove what they registered for them. */
export async function tellKinds(
  tx: Transaction,
  store: StoreParts,
  waits: readonly (WaitRef & { kind: string })[],
): Promise<void> {
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

/** parked → pending, at the end of the line. */
async function wakeActivities(tx: Transaction, waits: readonly WaitRef[], now: number): Promise<void> {
  const ids = distinct(waits, ({ activity_id }) => activity_id);
  const list = inList(ids);
  await mustChange(
    tx,
    ids.length,
    `UPDATE runs_activities SET state = 'pending', due = ? WHERE ${inState('parked')} AND activity_id IN ${list.marks}`,
    [now, ...list.params],
  );
}
