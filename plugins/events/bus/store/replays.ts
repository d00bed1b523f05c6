import { insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope, Replay } from '../contract.ts';
import { digests } from '../domain/event-rules.ts';

/** Maximum number of replays shown with one event. */
const MAX_REPLAYS = 200;

const COLUMNS = `event_id reaction name_digest part project_id name state reason run_id replayed_by replayed_at
  forced`.split(/\s+/);
const READ_COLUMNS = 'event_id, name, part, state, reason, run_id, replayed_by, replayed_at, forced';

interface ReplayRow {
  event_id: string;
  name: string;
  part: string;
  state: Replay['state'];
  reason: string | null;
  run_id: string | null;
  replayed_by: string;
  replayed_at: number;
  forced: number;
}

const parseReplay = (row: ReplayRow): Replay => ({
  event_id: row.event_id,
  replay_id: row.part,
  name: row.name,
  state: row.state,
  reason: row.reason ?? undefined,
  run_id: row.run_id ?? undefined,
  by: row.replayed_by,
  at: Number(row.replayed_at),
  forced: row.forced === 1,
});

/** Inserts a replay. The project's head must be locked. */
export async function insertReplay(tx: Transaction, { project_id }: ProjectScope, replay: Replay): Promise<void> {
  const { event_id, replay_id, name, state, reason, run_id, by, at, forced } = replay;
  await insertRows(tx, 'INSERT INTO bus_deliveries', COLUMNS, [
    [
      event_id,
      'handler',
      digests.name(name),
      replay_id,
      project_id,
      name,
      state,
      reason ?? null,
      run_id ?? null,
      by,
      at,
      forced ? 1 : 0,
    ],
  ]);
}

export async function findReplay(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  { event_id, name, replay_id }: Pick<Replay, 'event_id' | 'name' | 'replay_id'>,
): Promise<Replay | undefined> {
  const [row] = await on.read<ReplayRow>(
    `SELECT ${READ_COLUMNS} FROM bus_deliveries
     WHERE event_id = ? AND reaction = 'handler' AND name_digest = ? AND part = ? AND project_id = ?`,
    [event_id, digests.name(name), replay_id, project_id],
  );
  return row && parseReplay(row);
}

/** Returns the latest replays of an event, newest first. */
export async function readReplays(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  event_id: string,
): Promise<Replay[]> {
  const rows = await on.read<ReplayRow>(
    `SELECT ${READ_COLUMNS} FROM bus_deliveries
     WHERE event_id = ? AND reaction = 'handler' AND project_id = ? AND replayed_at IS NOT NULL
     ORDER BY replayed_at DESC, part DESC LIMIT ${MAX_REPLAYS}`,
    [event_id, project_id],
  );
  return rows.map(parseReplay);
}
