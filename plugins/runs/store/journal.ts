import { type Param, type Queries, type Sealer, type Transaction, turn } from '../../../kernel/contracts/index.ts';
import { type JournaledCall, type JournalRecord, siteOf, type WaitOutcome } from '../contract.ts';
import { journalConflict } from '../errors.ts';
import { insertRows } from './batches.ts';
import { keyOf } from './keys.ts';
import type { ActivityPlace } from './places.ts';
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

interface RecordRow {
  position: number;
  kind: string;
  name: string;
  ordinal: number;
  digest: string;
  label: string | null;
  exit_code: number;
  output: Buffer;
  message: Buffer | null;
  started_at: number;
}

const READ =
  'SELECT position, kind, name, ordinal, digest, label, exit_code, output, message, started_at FROM runs_journal';

/** A record with its secret parts sealed, but for the time of its transaction. */
export interface SealedRecord {
  record: JournalRecord;
  params(recorded_at: number): Param[];
}

/** The org's keys must be ready: `ActivityPlaces.of` sees to it. */
export function sealRecord(sealer: Sealer, at: ActivityPlace, epoch: number, record: JournalRecord): SealedRecord {
  const { position, kind, name, ordinal, digest, label, message } = record;
  const place = { run_id: at.run_id, activity_id: at.activity_id, position };
  const output = sealer.seal(sealed.record(at, place, 'output'), Buffer.from(record.output, 'base64'));
  const text =
    message === undefined ? null : sealer.seal(sealed.record(at, place, 'message'), Buffer.from(message, 'utf8'));
  const head = [at.run_id, at.activity_id, position, kind, name, keyOf(kind, name), ordinal, digest, label ?? null];
  return {
    record,
    params: (recorded_at) => [...head, record.exit_code, output, text, epoch, record.started_at, recorded_at],
  };
}

export async function insertRecords(tx: Transaction, records: readonly SealedRecord[], now: number): Promise<void> {
  const rows = records.map((record) => record.params(now));
  await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL_COLUMNS, rows);
}

/** Inserts one record; throws `journal_conflict` when its site is recorded at another position. */
export async function insertRecord(
  tx: Transaction,
  at: ActivityPlace,
  record: SealedRecord,
  now: number,
): Promise<void> {
  try {
    await insertRecords(tx, [record], now);
  } catch (error) {
    if (await hasSite(tx, at, record.record)) throw otherSite(at, record.record);
    throw error;
  }
}

/** Is this site recorded already? */
export async function hasSite(
  on: Pick<Queries, 'read'>,
  at: ActivityPlace,
  call: { kind: string; name: string; ordinal: number },
): Promise<boolean> {
  const rows = await on.read(
    'SELECT position FROM runs_journal WHERE run_id = ? AND activity_id = ? AND site = ? AND ordinal = ?',
    [at.run_id, at.activity_id, keyOf(call.kind, call.name), call.ordinal],
  );
  return rows.length > 0;
}

/** The last position recorded, -1 in an empty journal. One index entry, however long the journal. */
export async function lastPosition(on: Pick<Queries, 'read'>, at: ActivityPlace): Promise<number> {
  const [row] = await on.read<{ last: number | null }>(
    'SELECT MAX(position) AS last FROM runs_journal WHERE run_id = ? AND activity_id = ?',
    [at.run_id, at.activity_id],
  );
  return row?.last ?? -1;
}

export async function readRecord(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityPlace,
  position: number,
): Promise<JournalRecord | undefined> {
  const [row] = await on.read<RecordRow>(`${READ} WHERE run_id = ? AND activity_id = ? AND position = ?`, [
    at.run_id,
    at.activity_id,
    position,
  ]);
  return row && openRecord(sealer, at, row);
}

/** What is read in one go, and opened in one go: more would hold up everybody else of this process. */
const PAGE = 250;
const OPENED_BYTES = 1024 * 1024;

/** The whole journal of an activity, in order: page by page, for it only grows, and only by whoever holds the claim. */
export async function readJournal(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityPlace,
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
      await turn();
    }
    if (rows.length < PAGE) return journal;
    await turn();
  }
}

/** Records from a position to another, both included, with the times at which they were recorded. */
export async function readRecords(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityPlace,
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

function openRecord(sealer: Sealer, at: ActivityPlace, row: RecordRow): JournalRecord {
  const place = { run_id: at.run_id, activity_id: at.activity_id, position: row.position };
  const { position, kind, name, ordinal, digest, exit_code, started_at } = row;
  return {
    position,
    kind,
    name,
    ordinal,
    digest,
    ...(row.label === null ? {} : { label: row.label }),
    exit_code,
    output: sealer.open(sealed.record(at, place, 'output'), row.output).toString('base64'),
    ...(row.message === null
      ? {}
      : { message: sealer.open(sealed.record(at, place, 'message'), row.message).toString('utf8') }),
    started_at,
  };
}

/** The record that a call leaves when it came to this outcome. */
export function recordOf(call: Omit<JournaledCall, 'args'>, outcome: WaitOutcome): JournalRecord {
  const { position, kind, name, ordinal, digest, label, started_at } = call;
  return {
    position,
    kind,
    name,
    ordinal,
    digest,
    ...(label === undefined ? {} : { label }),
    exit_code: outcome.exit_code,
    output: outcome.output.toString('base64'),
    ...(outcome.message === undefined ? {} : { message: outcome.message }),
    started_at,
  };
}

export const gap = (at: { activity_id: string }, position: number, last: number) =>
  journalConflict(`activity ${at.activity_id} has records up to position ${last}; position ${position} leaves a gap`);

export const otherRecord = (at: { activity_id: string }, position: number) =>
  journalConflict(`position ${position} of activity ${at.activity_id} holds another record`);

export const otherSite = (at: { activity_id: string }, call: { kind: string; name: string; ordinal: number }) =>
  journalConflict(`activity ${at.activity_id} has recorded ${call.kind} ${siteOf(call)} at another position`);
