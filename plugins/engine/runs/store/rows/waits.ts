import {
  inKeys,
  inState,
  insertRows,
  MAX_ROWS_PER_STATEMENT,
  type Param,
  type Queries,
  type Sealer,
  type Transaction,
  distinct,
} from '../../../../../kernel/contracts/index.ts';
import type { ArmWait, SubstateKind, WaitRef } from '../../contract.ts';
import type { LockedRun } from './runs.ts';
import { openText, parseJson, sealContext, sealText } from './sealing.ts';
import type { StoreContext } from './context.ts';

export interface WaitRow extends WaitRef {
  org_id: string;
  project_id: string;
  kind: string;
  name: string;
  ordinal: number;
  digest: string;
  label: string | null;
  /** As they are stored. */
  args: string;
  state: 'armed' | 'resolved' | 'expired' | 'cancelled';
  epoch: number;
  started_at: number;
  armed_at: number;
  deadline: number | null;
}

const WAIT_COLUMNS =
  `run_id activity_id position org_id project_id kind substate name topic ordinal digest label args state
  seq epoch started_at armed_at deadline`.split(/\s+/);

const READ_WAITS = `SELECT run_id, activity_id, position, org_id, project_id, kind, name, ordinal, digest, label, args, state,
  epoch, started_at, armed_at, deadline FROM runs_waits`;

const WAIT_KEY = ['run_id', 'activity_id', 'position'] as const;
export const MAX_WAITS = MAX_ROWS_PER_STATEMENT;

export interface ArmedState {
  substate: SubstateKind;
  topic: string;
  seq: number;
  epoch: number;
  now: number;
  deadline: number | null;
}

/** The org's keys must be ready. */
export async function insertWait(
  tx: Transaction,
  sealer: Sealer,
  run: LockedRun,
  activity_id: string,
  wait: ArmWait,
  arming: ArmedState,
): Promise<void> {
  const row: Param[] = [
    run.run_id,
    activity_id,
    wait.position,
    run.org_id,
    run.project_id,
    wait.kind,
    arming.substate,
    wait.name,
    arming.topic,
    wait.ordinal,
    wait.digest,
    wait.label ?? null,
    sealText(
      sealer,
      sealContext.waitArgs(run, { ...wait, run_id: run.run_id, activity_id }),
      JSON.stringify(wait.args ?? null),
    ),
    'armed',
    arming.seq,
    arming.epoch,
    wait.started_at,
    arming.now,
    arming.deadline,
  ];
  await insertRows(tx, 'INSERT INTO runs_waits', WAIT_COLUMNS, [row]);
}

export async function readWaits(on: Pick<Queries, 'read'>, waits: readonly WaitRef[]): Promise<WaitRow[]> {
  const { condition, params } = inKeys(WAIT_KEY, waits);
  return on.read<WaitRow>(`${READ_WAITS} WHERE ${condition}`, params);
}

export async function readWait(on: Pick<Queries, 'read'>, wait: WaitRef): Promise<WaitRow | undefined> {
  return (await readWaits(on, [wait]))[0];
}

/** The wait that has listened to one of these queues longest. The run must be locked. */
export async function oldestListening(
  on: Pick<Queries, 'read'>,
  run_id: string,
  topics: readonly [string, string],
): Promise<WaitRow | undefined> {
  const rows = await on.read<WaitRow>(
    `${READ_WAITS} WHERE run_id = ? AND state = 'armed' AND topic IN (?, ?) ORDER BY seq LIMIT 1`,
    [run_id, ...topics],
  );
  return rows[0];
}

const MAX_AWAITED = 10;

/** The names of signals that a run waits for, as they are shown, the oldest wait first. */
export async function awaitedSignals(on: Pick<Queries, 'read'>, run_id: string): Promise<string[]> {
  const rows = await on.read<{ name: string }>(
    `SELECT name FROM runs_waits WHERE run_id = ? AND state = 'armed' AND substate = 'signal' ORDER BY seq LIMIT ${MAX_AWAITED}`,
    [run_id],
  );
  return [...new Set(rows.map(({ name }) => name))];
}

/** armed → ended. Answers how many were armed. */
export async function endWaits(
  tx: Transaction,
  waits: readonly WaitRef[],
  state: 'resolved' | 'expired',
  now: number,
): Promise<number> {
  if (waits.length === 0) return 0;
  const { condition, params } = inKeys(WAIT_KEY, waits);
  return tx.write(`UPDATE runs_waits SET state = ?, ended_at = ? WHERE ${inState('armed')} AND ${condition}`, [
    state,
    now,
    ...params,
  ]);
}

/** Pauses leave nothing: the next one of the same call lies at the same position. Throws when one was not armed. */
export async function removeWaits(tx: Transaction, waits: readonly WaitRef[]): Promise<void> {
  if (waits.length === 0) return;
  const { condition, params } = inKeys(WAIT_KEY, waits);
  const removed = await tx.write(`DELETE FROM runs_waits WHERE ${inState('armed')} AND ${condition}`, params);
  if (removed !== waits.length) throw new Error(`${removed} pauses ended instead of ${waits.length}`);
}

/** The call that armed a wait. The org's keys must be ready. */
export function openCall(sealer: Sealer, wait: WaitRow): ArmWait {
  return { ...sealedCall(wait), args: parseJson(openText(sealer, sealContext.waitArgs(wait, wait), wait.args)) };
}

/** The same without its arguments, which are sealed. */
export function sealedCall(wait: WaitRow): Omit<ArmWait, 'args'> {
  const { position, kind, name, ordinal, digest, label, started_at } = wait;
  return { position, kind, name, ordinal, digest, label: label ?? undefined, started_at };
}

/** A wait that has ended in this transaction. */
export type EndedWait = WaitRef & { kind: string };

/** Lets the kinds of ended waits remove their registrations. */
export async function notifyWaitKinds(
  tx: Transaction,
  store: StoreContext,
  waits: readonly EndedWait[],
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

/** The epoch of a wait without a claim: its activity ends with it. */
export const NO_CLAIM = 0;
