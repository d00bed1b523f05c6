import { insertRows, type Database, type Param, type Queries } from '../../../kernel/contracts/index.ts';
import type { CallUnderWay, ClaimRef, TellingAgent } from '../contract.ts';
import { ACTIVITY, holds, lockFences } from './activity-rows.ts';

/** A call that an agent carries out, with its place. `since` is epoch ms by the database's clock. */
export interface PlacedCall extends TellingAgent, ClaimRef {
  run_id: string;
  call: CallUnderWay;
  since: number;
}

/** The same of a claim that is the present one. */
export interface HeldCall extends PlacedCall {
  /** Name of the activity. */
  activity: string;
}

const CALL = ['position', 'kind', 'name', 'ordinal', 'label', 'attempt', 'attempts'] as const;
const KEY = ['run_id', 'activity_id'];
const REST = ['epoch', ...CALL, 'since', 'agent_id', 'agent'];
/** Activities of a run that agents work on at once, as far as they are looked at. */
const MOST = 1000;

/** Calls that last. Those whose claims are over are left out; the others are answered. */
export async function writeUnderWay(database: Database, calls: readonly PlacedCall[]): Promise<PlacedCall[]> {
  return await database.transaction(async (tx) => {
    const ids = calls.map(({ activity_id }) => activity_id);
    const fences = await lockFences(tx, ids);
    // What is read of a row is checked against its claim, so a rival that ends the claim now misses nothing.
    tx.settled(
      ACTIVITY.table,
      ids.map((id) => [id]),
    );
    const held = calls.filter((call) => holds(fences.get(call.activity_id), call));
    if (held.length === 0) return held;
    const ending = tx.sql.upsert(KEY, REST);
    await insertRows(tx, 'INSERT INTO runs_under_way', [...KEY, ...REST], held.map(rowOf), ending);
    return held;
  });
}

const rowOf = ({ run_id, activity_id, epoch, call, since, agent_id, name }: PlacedCall): Param[] => [
  ...[run_id, activity_id, epoch],
  ...CALL.map((column) => call[column] ?? null),
  ...[since, agent_id, name],
];

/** These calls are over. Another call of the activity, or the same one as another server has written it, stays. */
export async function removeUnderWay(database: Database, calls: readonly PlacedCall[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { run_id, activity_id, epoch, since } of calls)
      await tx.write('DELETE FROM runs_under_way WHERE run_id = ? AND activity_id = ? AND epoch = ? AND since = ?', [
        ...[run_id, activity_id, epoch, since],
      ]);
  });
}

type CallColumns = { [column in (typeof CALL)[number]]: CallUnderWay[column] | null };

interface HeldRow extends CallColumns {
  activity_id: string;
  activity: string;
  claim: number;
  tried_at: number | null;
  tried: number | null;
  /** Position of the last record; null in an empty journal. */
  last: number | null;
  since: number | null;
  agent_id: string | null;
  agent: string | null;
}

/**
 * What is carried out in a run: what this server was told (`told`, by activity), and what was written. Calls that have their
 * record by now are left out, and attempts that have failed.
 */
export async function readUnderWay(
  on: Pick<Queries, 'read'>,
  run_id: string,
  told: ReadonlyMap<string, PlacedCall>,
): Promise<HeldCall[]> {
  const rows = await on.read<HeldRow>(
    `SELECT a.activity_id, a.name AS activity, a.epoch AS claim, a.tried_at, a.tried,
       ${[...CALL, 'since', 'agent_id', 'agent'].map((column) => `u.${column}`).join(', ')},
       (SELECT MAX(j.position) FROM runs_journal j WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id) AS last
     FROM runs_activities a LEFT JOIN runs_under_way u
       ON u.run_id = a.run_id AND u.activity_id = a.activity_id AND u.epoch = a.epoch
     WHERE a.run_id = ? AND a.state = 'claimed' ORDER BY a.activity_id LIMIT ${MOST}`,
    [run_id],
  );
  return rows.flatMap((row) => {
    const { activity_id, activity, claim: epoch } = row;
    const own = told.get(activity_id);
    const found = own?.epoch === epoch ? own : writtenCall(run_id, row);
    return found && goesOn(found.call, row) ? [{ ...found, activity }] : [];
  });
}

function writtenCall(run_id: string, row: HeldRow): PlacedCall | undefined {
  const { activity_id, claim: epoch, since, agent_id, agent } = row;
  if (since === null || agent_id === null) return undefined;
  const call = Object.fromEntries(CALL.map((column) => [column, row[column] ?? undefined])) as unknown as CallUnderWay;
  return { run_id, activity_id, epoch, call, since: Number(since), agent_id, name: agent ?? '' };
}

/** An activity that is one command keeps its attempts at the first position. */
function goesOn({ position, attempt }: CallUnderWay, { last, tried_at, tried }: HeldRow): boolean {
  if (position !== undefined && last !== null && position <= last) return false;
  return attempt === undefined || tried_at !== (position ?? 0) || (tried ?? 0) < attempt;
}
