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
const JOURNAL_COLUMNS = [
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

const OUTPUT_COLUMNS = ['run_id', 'activity_id', 'position', 'bytes', 'output'];
/** Bytes of a sealed output from which on it has a row of its own, and is empty in the journal. */
const LARGE_OUTPUT = 4096;
const APART = Buffer.alloc(0);
/** To read the outputs of records `j`, wherever they are. */
export const WITH_OUTPUTS = `runs_journal j LEFT JOIN runs_outputs o
  ON o.run_id = j.run_id AND o.activity_id = j.activity_id AND o.position = j.position`;
export const OUTPUT = 'COALESCE(o.output, j.output) AS output';
export const OUTPUT_BYTES = 'COALESCE(o.bytes, LENGTH(j.output)) AS bytes';

interface RecordedCall extends Omit<JournaledCall, 'args' | 'label'> {
  label?: string | null;
}

interface RecordRow extends RecordedCall {
  exit_code: number;
  output: Buffer;
  message: Buffer | null;
}

const READ = `SELECT j.position, j.kind, j.name, j.ordinal, j.digest, j.label, j.exit_code, ${OUTPUT}, j.message, j.started_at,
  j.recorded_at FROM ${WITH_OUTPUTS} WHERE j.run_id = ? AND j.activity_id = ?`;

/** A record with sealed contents and without the time of its transaction. */
export interface SealedRecord {
  activity_id: string;
  epoch: number;
  record: JournalRecord;
  params(recorded_at: number): Param[];
  /** The row of its output, if that is large. */
  apart: Param[] | undefined;
}

/** The org's keys must be ready; `ActivityOwners.of` prepares them. */
export function sealRecord(sealer: Sealer, at: ActivityOwner, epoch: number, record: JournalRecord): SealedRecord {
  const { position, kind, name, ordinal, digest, label, message } = record;
  const place = { run_id: at.run_id, activity_id: at.activity_id, position };
  const output = sealer.seal(sealed.record(at, place, 'output'), Buffer.from(record.output, 'base64'));
  const text =
    message === undefined ? null : sealer.seal(sealed.record(at, place, 'message'), Buffer.from(message, 'utf8'));
  const large = output.length > LARGE_OUTPUT;
  const stored = large ? APART : output;
  const head = [at.run_id, at.activity_id, position, kind, name, keyOf(kind, name), ordinal, digest, label ?? null];
  return {
    activity_id: at.activity_id,
    epoch,
    record,
    params: (recorded_at) => [...head, record.exit_code, stored, text, epoch, record.started_at, recorded_at],
    apart: large ? [at.run_id, at.activity_id, position, output.length, output] : undefined,
  };
}

export async function insertRecords(
  tx: Transaction,
  records: readonly SealedRecord[],
  now: number,
  { spans }: Pick<StoreParts, 'spans'>,
): Promise<void> {
  await insertSealed(tx, records, () => now);
  spans?.recorded(tx, records, now);
}

/** Answers how many it has inserted. */
export async function insertSealed(
  tx: Transaction,
  records: readonly SealedRecord[],
  recordedAt: (index: number) => number,
): Promise<number> {
  const rows = records.map((record, index) => record.params(recordedAt(index)));
  const inserted = await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL_COLUMNS, rows);
  const outputs = records.flatMap(({ apart }) => (apart ? [apart] : []));
  if (outputs.length > 0) await insertRows(tx, 'INSERT INTO runs_outputs', OUTPUT_COLUMNS, outputs);
  return inserted;
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
  const [row] = await on.read<RecordRow>(`${READ} AND j.position = ?`, [at.run_id, at.activity_id, position]);
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
    const rows = await on.read<RecordRow>(`${READ} AND j.position > ? ORDER BY j.position LIMIT ${PAGE}`, [
      at.run_id,
      at.activity_id,
      journal.at(-1)?.position ?? -1,
    ]);
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
    `${READ} AND j.position >= ? AND j.position <= ? ORDER BY j.position`,
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
