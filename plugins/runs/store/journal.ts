import {
  inList,
  insertRows,
  type Param,
  type Queries,
  type Sealer,
  type Transaction,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { type JournaledCall, type JournalRecord, siteOf, type WaitOutcome } from '../contract.ts';
import { journalConflict } from '../errors.ts';
import { keyOf } from './keys.ts';
import type { ActivityOwner } from './activity-owners.ts';
import type { StoreParts } from './parts.ts';
import { sealed } from './sealing.ts';

/** In the order of `SealedRecord.params`. */
export const JOURNAL_COLUMNS = [
  'run_id',
  'activity_id',
  'position',
  'kind',
  'name',
  'site',
  'ordinal',
  'digest',
  'label',
  'exit_code',
  'output',
  'message',
  'epoch',
  'started_at',
  'recorded_at',
];

interface RecordedCall extends Omit<JournaledCall, 'args' | 'label'> {
  label?: string | null;
}

interface RecordRow extends RecordedCall {
  exit_code: number;
  output: Buffer;
  message: Buffer | null;
}

const READ =
  'SELECT position, kind, name, ordinal, digest, label, exit_code, output, message, started_at FROM runs_journal';

/** A record with sealed contents and without the time of its transaction. */
export interface SealedRecord {
  activity_id: string;
  epoch: number;
  record: JournalRecord;
  params(recorded_at: number): Param[];
}

/** The org's keys must be ready; `ActivityOwners.of` prepares them. */
export function sealRecord(sealer: Sealer, at: ActivityOwner, epoch: number, record: JournalRecord): SealedRecord {
  const { position, kind, name, ordinal, digest, label, message } = record;
  const place = { run_id: at.run_id, activity_id: at.activity_id, position };
  const output = sealer.seal(sealed.record(at, place, 'output'), Buffer.from(record.output, 'base64'));
  const text =
    message === undefined ? null : sealer.seal(sealed.record(at, place, 'message'), Buffer.from(message, 'utf8'));
  const head = [at.run_id, at.activity_id, position, kind, name, keyOf(kind, name), ordinal, digest, label ?? null];
  return {
    activity_id: at.activity_id,
    epoch,
    record,
    params: (recorded_at) => [...head, record.exit_code, output, text, epoch, record.started_at, recorded_at],
  };
}

export async function insertRecords(
  tx: Transaction,
  records: readonly SealedRecord[],
  now: number,
  { spans }: Pick<StoreParts, 'spans'>,
): Promise<void> {
  const rows = records.map((record) => record.params(now));
  await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL_COLUMNS, rows);
  spans?.recorded(tx, records, now);
}

/** Inserts one record. Throws `journal_conflict` when its site is recorded at another position. */
export async function insertRecord(
  tx: Transaction,
  at: ActivityOwner,
  record: SealedRecord,
  store: Pick<StoreParts, 'database' | 'spans'>,
): Promise<void> {
  try {
    await insertRecords(tx, [record], store.database.now(), store);
  } catch (error) {
    if (await hasSite(tx, at, record.record)) throw otherSite(at, record.record);
    throw error;
  }
}

/** True when this site is recorded. */
export async function hasSite(
  on: Pick<Queries, 'read'>,
  at: ActivityOwner,
  call: { kind: string; name: string; ordinal: number },
): Promise<boolean> {
  const rows = await on.read(
    'SELECT position FROM runs_journal WHERE run_id = ? AND activity_id = ? AND site = ? AND ordinal = ?',
    [at.run_id, at.activity_id, keyOf(call.kind, call.name), call.ordinal],
  );
  return rows.length > 0;
}

/** The last recorded position, -1 in an empty journal. Reads one index entry. */
export async function lastPosition(on: Pick<Queries, 'read'>, at: ActivityOwner): Promise<number> {
  const [row] = await on.read<{ last: number | null }>(
    'SELECT MAX(position) AS last FROM runs_journal WHERE run_id = ? AND activity_id = ?',
    [at.run_id, at.activity_id],
  );
  return row?.last ?? -1;
}

/** The same for activities that exist, at most 128. */
export async function lastPositions(
  on: Pick<Queries, 'read'>,
  activity_ids: readonly string[],
): Promise<Map<string, number>> {
  const list = inList(activity_ids);
  const rows = await on.read<{ activity_id: string; last: number | null }>(
    `SELECT a.activity_id, (SELECT MAX(j.position) FROM runs_journal j
     WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id) AS last
     FROM runs_activities a WHERE a.activity_id IN ${list.marks}`,
    list.params,
  );
  return new Map(rows.map(({ activity_id, last }) => [activity_id, last ?? -1]));
}

export async function readRecord(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityOwner,
  position: number,
): Promise<JournalRecord | undefined> {
  const [row] = await on.read<RecordRow>(`${READ} WHERE run_id = ? AND activity_id = ? AND position = ?`, [
    at.run_id,
    at.activity_id,
    position,
  ]);
  return row && openRecord(sealer, at, row);
}

/** Limit for reading and opening at once: more would block this process for others. */
const PAGE = 250;
const OPENED_BYTES = 1024 * 1024;

/**
 * The whole journal of an activity in order, page by page. It only grows, and only the holder of the claim writes it.
 */
export async function readJournal(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityOwner,
): Promise<JournalRecord[]> {
  const journal: JournalRecord[] = [];
  for (;;) {
    const rows = await on.read<RecordRow>(
      `${READ} WHERE run_id = ? AND activity_id = ? AND position > ? ORDER BY position LIMIT ${PAGE}`,
      [at.run_id, at.activity_id, journal.at(-1)?.position ?? -1],
    );
    let opened = 0;
    for (const row of rows) {
      journal.push(openRecord(sealer, at, row));
      opened += row.output.length;
      if (opened < OPENED_BYTES) continue;
      opened = 0;
      await yieldToEventLoop();
    }
    if (rows.length < PAGE) return journal;
    await yieldToEventLoop();
  }
}

/** Records between two positions, both included, with the times of their recording. */
export async function readRecords(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityOwner,
  first: number,
  last: number,
): Promise<{ record: JournalRecord; recorded_at: number }[]> {
  const rows = await on.read<RecordRow & { recorded_at: number }>(
    `${READ.replace(' FROM', ', recorded_at FROM')} WHERE run_id = ? AND activity_id = ? AND position >= ? AND position <= ?
     ORDER BY position`,
    [at.run_id, at.activity_id, first, last],
  );
  return rows.map((row) => ({ record: openRecord(sealer, at, row), recorded_at: row.recorded_at }));
}

function openRecord(sealer: Sealer, at: ActivityOwner, row: RecordRow): JournalRecord {
  const place = { run_id: at.run_id, activity_id: at.activity_id, position: row.position };
  return {
    ...callFields(row),
    label: row.label ?? undefined,
    exit_code: row.exit_code,
    output: sealer.open(sealed.record(at, place, 'output'), row.output).toString('base64'),
    message:
      row.message === null ? undefined : sealer.open(sealed.record(at, place, 'message'), row.message).toString('utf8'),
  };
}

type CallFields = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal' | 'digest' | 'started_at'>;

const callFields = ({ position, kind, name, ordinal, digest, started_at }: CallFields): CallFields => ({
  ...{ position, kind, name, ordinal, digest, started_at },
});

/** The record of a call with this outcome. */
export function recordOf(call: Omit<JournaledCall, 'args'>, outcome: WaitOutcome): JournalRecord {
  return {
    ...callFields(call),
    label: call.label,
    exit_code: outcome.exit_code,
    output: outcome.output.toString('base64'),
    message: outcome.message,
  };
}

export const gap = (at: { activity_id: string }, position: number, last: number) =>
  journalConflict(`activity ${at.activity_id} has records up to position ${last}; position ${position} leaves a gap`);

export const otherRecord = (at: { activity_id: string }, position: number) =>
  journalConflict(`position ${position} of activity ${at.activity_id} holds another record`);

export const otherSite = (at: { activity_id: string }, call: { kind: string; name: string; ordinal: number }) =>
  journalConflict(`activity ${at.activity_id} has recorded ${call.kind} ${siteOf(call)} at another position`);
