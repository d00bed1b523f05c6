import { distinct, inList, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, WaitOutcome, WaitRef } from '../contract.ts';
import { MAX_WAIT_OUTPUT_BYTES } from '../contract.ts';
import { checkOutcome } from '../domain/record-rules.ts';
import { afterEnd } from './activities.ts';
import { insertRecords, recordOf, sealRecord } from './journal.ts';
import type { StoreParts } from './parts.ts';
import { settleRun } from './run-end.ts';
import { lockRuns } from './run-rows.ts';
import { tellKinds } from './tell-kinds.ts';
import { endWaits, readWaits, removeWaits, unopenedCall, WAITS_AT_ONCE, type WaitRow } from './wait-rows.ts';
import { endWaiting, NO_CLAIM } from './waiting.ts';
import { countOutcomes } from './untrusted-runs.ts';
import { wakeActivities, WOKEN_COLUMNS, type WokenRun } from './wake-activities.ts';

export interface Resolution {
  state: 'resolved' | 'expired';
  outcome(wait: WaitRow): WaitOutcome | Promise<WaitOutcome>;
}

/**
 * armed → ended for many waits in few statements: writes the records and makes the activities claimable. Answers the
 * waits that this ended; the others had an outcome before (I9). The orgs' keys must be ready.
 */
export async function resolveWaits(
  tx: Transaction,
  store: StoreParts,
  waits: readonly WaitRef[],
  resolution: Resolution,
): Promise<WaitRow[]> {
  const locked = await lockRuns<WokenRun>(
    tx,
    waits.map(({ run_id }) => run_id),
    { columns: WOKEN_COLUMNS },
  );
  const ended: WaitRow[] = [];
  for (let from = 0; from < waits.length; from += WAITS_AT_ONCE)
    ended.push(...(await resolveSome(tx, store, locked, waits.slice(from, from + WAITS_AT_ONCE), resolution)));
  return ended;
}

async function resolveSome(
  tx: Transaction,
  store: StoreParts,
  locked: ReadonlyMap<string, WokenRun>,
  waits: readonly WaitRef[],
  { state, outcome }: Resolution,
): Promise<WaitRow[]> {
  const armed = (await readWaits(tx, waits)).filter((wait) => wait.state === 'armed');
  if (armed.length === 0) return [];
  const now = store.database.now();
  const [pauses, waiting] = partition(armed, ({ kind }) => store.wait_kinds.get(kind)?.pause === true);
  await removeWaits(tx, pauses);
  const outcomes: WaitOutcome[] = [];
  for (const wait of waiting) outcomes.push(await outcome(wait));
  const ended = await endWaits(tx, waiting, state, now);
  if (ended !== waiting.length) throw new Error(`${ended} waits ended instead of ${waiting.length}`);
  const records = waiting.map((wait, i) => {
    const result = outcomes[i]!;
    checkOutcome(result, MAX_WAIT_OUTPUT_BYTES);
    return sealRecord(store.sealer, wait, wait.epoch, recordOf(unopenedCall(wait), result));
  });
  await insertRecords(tx, records, now, store);
  const alone = waiting.flatMap((wait, i) => (wait.epoch === NO_CLAIM ? [{ wait, outcome: outcomes[i]! }] : []));
  const claimed = armed.filter(({ epoch }) => epoch !== NO_CLAIM);
  if (claimed.length > 0) await wakeActivities(tx, store, claimed, locked, now);
  if (alone.length > 0) await endAlone(tx, store, alone);
  await tellKinds(tx, store, armed);
  // After all locks on runs and activities.
  await countOutcomes(
    tx,
    waiting.flatMap(({ run_id }, i) => (locked.get(run_id)?.trusted === 0 ? [{ run_id, outcome: outcomes[i]! }] : [])),
  );
  return armed;
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  const [met, not]: [T[], T[]] = [[], []];
  for (const one of all) (test(one) ? met : not).push(one);
  return [met, not];
}

/** Waiting activities end with their waits. All of them end before the coordinators of their runs are called. */
async function endAlone(
  tx: Transaction,
  store: StoreParts,
  alone: readonly { wait: WaitRow; outcome: WaitOutcome }[],
): Promise<void> {
  const list = inList(distinct(alone, ({ wait }) => wait.activity_id));
  const rows = await tx.read<{ activity_id: string; name: string; parent: string | null }>(
    `SELECT activity_id, name, parent FROM runs_activities WHERE activity_id IN ${list.marks}`,
    list.params,
  );
  const known = new Map(rows.map((row) => [row.activity_id, row]));
  const ends = new Map<string, ActivityEnd[]>();
  for (const { wait, outcome } of alone) {
    const end = await endWaiting(tx, store, wait, known.get(wait.activity_id)!, outcome);
    ends.set(wait.run_id, [...(ends.get(wait.run_id) ?? []), end]);
  }
  for (const [run_id, run] of await lockRuns(tx, [...ends.keys()])) {
    const waits = [];
    for (const end of ends.get(run_id)!) waits.push(...(await afterEnd(tx, store, run, end)));
    await settleRun(tx, store, run, {
      waits,
      async work(coordinator, held) {
        for (const end of ends.get(run_id)!) await coordinator.ended(tx, held, end);
      },
    });
  }
}
