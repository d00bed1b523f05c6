import {
  inList,
  insertRows,
  type Param,
  type Queries,
  type Sealer,
  type Transaction,
  yieldToEventLoop,
} from '../../../../../kernel/contracts/index.ts';
import { type JournaledCall, type JournalRecord, siteOf, type WaitOutcome } from '../../contract.ts';
import { journalConflict } from '../../errors.ts';
import { textKey, sealContext } from './sealing.ts';
import type { ActivityOwner } from './activities.ts';
import type { StoreContext } from './context.ts';

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
/** A sealed output of more bytes has a row of its own, and is empty in the journal. */
const LARGE_OUTPUT_SIZE = 4096;
const NO_OUTPUT = Buffer.alloc(0);
/** Joins the outputs of records `j`, wherever they are stored. */
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

const readRecordsFrom = (tables: string, output: string): string =>
  `SELECT j.position, j.kind, j.name, j.ordinal, j.digest, j.label, j.exit_code, ${output}, j.message, j.started_at,
  j.recorded_at FROM ${tables} WHERE j.run_id = ? AND j.activity_id = ?`;
const READ_RECORDS = readRecordsFrom(WITH_OUTPUTS, OUTPUT);
/** Large outputs are empty. */
const READ_SMALL_RECORDS = readRecordsFrom('runs_journal j', 'j.output');

/** A record whose contents are sealed, and which has no time of recording yet. */
export interface SealedRecord {
  activity_id: string;
  epoch: number;
  record: JournalRecord;
  params(recorded_at: number): Param[];
  /** The row of a large output. */
  large_output: Param[] | undefined;
}

/** The org's keys must be ready; `ActivityOwners.find` prepares them. */
export function sealRecord(sealer: Sealer, at: ActivityOwner, epoch: number, record: JournalRecord): SealedRecord {
  const { position, kind, name, ordinal, digest, label, message } = record;
  const place = { run_id: at.run_id, activity_id: at.activity_id, position };
  const output = sealer.seal(sealContext.record(at, place, 'output'), Buffer.from(record.output, 'base64'));
  const text =
    message === undefined ? null : sealer.seal(sealContext.record(at, place, 'message'), Buffer.from(message, 'utf8'));
  const large = output.length > LARGE_OUTPUT_SIZE;
  const stored = large ? NO_OUTPUT : output;
  const head = [at.run_id, at.activity_id, position, kind, name, textKey(kind, name), ordinal, digest, label ?? null];
  return {
    activity_id: at.activity_id,
    epoch,
    record,
    params: (recorded_at) => [...head, record.exit_code, stored, text, epoch, record.started_at, recorded_at],
    large_output: large ? [at.run_id, at.activity_id, position, output.length, output] : undefined,
  };
}

export async function insertRecords(
  tx: Transaction,
  records: readonly SealedRecord[],
  now: number,
  { spans }: Pick<StoreContext, 'spans'>,
): Promise<void> {
  await insertSealedRecords(tx, records, () => now);
  spans?.recorded(tx, records, now);
}

/** Inserts sealed records with given times of recording. Answers how many. */
export async function insertSealedRecords(
  tx: Transaction,
  records: readonly SealedRecord[],
  recordedAt: (index: number) => number,
): Promise<number> {
  const rows = records.map((record, index) => record.params(recordedAt(index)));
  const inserted = await insertRows(tx, 'INSERT INTO runs_journal', JOURNAL_COLUMNS, rows);
  const outputs = records.flatMap(({ large_output: apart }) => (apart ? [apart] : []));
  if (outputs.length > 0) await insertRows(tx, 'INSERT INTO runs_outputs', OUTPUT_COLUMNS, outputs);
  return inserted;
}

/** Inserts one record. Throws `journal_conflict` when its site is recorded at another position. */
export async function insertRecord(
  tx: Transaction,
  at: ActivityOwner,
  record: SealedRecord,
  store: Pick<StoreContext, 'database' | 'spans'>,
): Promise<void> {
  try {
    await insertRecords(tx, [record], store.database.now(), store);
  } catch (error) {
    if (await hasSite(tx, at, record.record)) throw siteConflict(at, record.record);
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
    [at.run_id, at.activity_id, textKey(call.kind, call.name), call.ordinal],
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

/** The same for up to 128 activities, which must exist. */
export async function lastPositions(
  on: Pick<Queries, 'read'>,
  activity_ids: readonly string[],
): Promise<Map<string, number>> {
  const list = inList(activity_ids);
  const rows = await on.read<{ activity_id: string; last: number | null }>(
    `SELECT a.activity_id, (SELECT MAX(j.position) FROM runs_journal j
     WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id) AS last
     FROM runs_activities a WHERE a.activity_id IN ${list.placeholders}`,
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
  const [row] = await on.read<RecordRow>(`${READ_RECORDS} AND j.position = ?`, [at.run_id, at.activity_id, position]);
  return row && openRecord(sealer, at, row);
}

/** How many records, and how many bytes of them, are read and opened before other work of the process gets its turn. */
const JOURNAL_PAGE = 250;
const MAX_OPENED_BYTES = 1024 * 1024;

/** Reads the whole journal of an activity in order, page by page. It only grows, and only the holder of the claim writes it. */
export async function readJournal(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityOwner,
): Promise<JournalRecord[]> {
  const journal: JournalRecord[] = [];
  for (;;) {
    const rows = await on.read<RecordRow>(
      `${READ_SMALL_RECORDS} AND j.position > ? ORDER BY j.position LIMIT ${JOURNAL_PAGE}`,
      [at.run_id, at.activity_id, journal.at(-1)?.position ?? -1],
    );
    const large = rows.filter(({ output }) => output.length === 0).map(({ position }) => position);
    const outputs = large.length === 0 ? new Map<number, Buffer>() : await readLargeOutputs(on, at, large);
    let opened = 0;
    for (const row of rows) {
      row.output = outputs.get(row.position) ?? row.output;
      journal.push(openRecord(sealer, at, row));
      opened += row.output.length;
      if (opened < MAX_OPENED_BYTES) continue;
      opened = 0;
      await yieldToEventLoop();
    }
    if (rows.length < JOURNAL_PAGE) return journal;
    await yieldToEventLoop();
  }
}

/** Returns the bytes of the outputs in a journal. Reads no output. */
export async function readJournalBytes(on: Pick<Queries, 'read'>, at: ActivityOwner): Promise<number> {
  const [row] = await on.read<{ bytes: number | null }>(
    `SELECT SUM(s.bytes) AS bytes FROM (
       SELECT ${OUTPUT_BYTES} FROM ${WITH_OUTPUTS} WHERE j.run_id = ? AND j.activity_id = ?) s`,
    [at.run_id, at.activity_id],
  );
  return Number(row?.bytes ?? 0);
}

/** Reads the outputs that have rows of their own, about a megabyte at a time. */
async function readLargeOutputs(
  on: Pick<Queries, 'read'>,
  at: ActivityOwner,
  positions: readonly number[],
): Promise<Map<number, Buffer>> {
  const outputs = new Map<number, Buffer>();
  const end = positions.at(-1)!;
  for (let first = positions[0]!; first <= end; ) {
    const last = await findPageEnd(on, at, first, end);
    const rows = await on.read<{ position: number; output: Buffer }>(
      `SELECT position, output FROM runs_outputs WHERE run_id = ? AND activity_id = ? AND position >= ? AND position <= ?`,
      [at.run_id, at.activity_id, first, last],
    );
    for (const { position, output } of rows) outputs.set(position, output);
    await yieldToEventLoop();
    first = last + 1;
  }
  return outputs;
}

/** Returns the last position up to `last` that can be read together with `first`. It reads no output. */
export async function findPageEnd(
  on: Pick<Queries, 'read'>,
  at: ActivityOwner,
  first: number,
  last: number,
): Promise<number> {
  const rows = await on.read<{ position: number; bytes: number }>(
    `SELECT j.position, ${OUTPUT_BYTES} FROM ${WITH_OUTPUTS} WHERE j.run_id = ? AND j.activity_id = ?
     AND j.position >= ? AND j.position <= ? ORDER BY j.position`,
    [at.run_id, at.activity_id, first, last],
  );
  let opened = 0;
  const beyond = rows.find(({ position, bytes }) => (opened += Number(bytes)) > MAX_OPENED_BYTES && position > first);
  return beyond === undefined ? last : beyond.position - 1;
}

/** Reads records between two positions, both included, with their times of recording. */
export async function readRecords(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  at: ActivityOwner,
  first: number,
  last: number,
): Promise<{ record: JournalRecord; recorded_at: number }[]> {
  const rows = await on.read<RecordRow & { recorded_at: number }>(
    `${READ_RECORDS} AND j.position >= ? AND j.position <= ? ORDER BY j.position`,
    [at.run_id, at.activity_id, first, last],
  );
  return rows.map((row) => ({ record: openRecord(sealer, at, row), recorded_at: row.recorded_at }));
}

function openRecord(sealer: Sealer, at: ActivityOwner, row: RecordRow): JournalRecord {
  const place = { run_id: at.run_id, activity_id: at.activity_id, position: row.position };
  return {
    ...pickCall(row),
    label: row.label ?? undefined,
    exit_code: row.exit_code,
    output: sealer.open(sealContext.record(at, place, 'output'), row.output).toString('base64'),
    message:
      row.message === null
        ? undefined
        : sealer.open(sealContext.record(at, place, 'message'), row.message).toString('utf8'),
  };
}

type CallFields = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal' | 'digest' | 'started_at'>;

const pickCall = ({ position, kind, name, ordinal, digest, started_at }: CallFields): CallFields => ({
  position,
  kind,
  name,
  ordinal,
  digest,
  started_at,
});

/** The record of a call with this outcome. */
export function recordOf(call: Omit<JournaledCall, 'args'>, outcome: WaitOutcome): JournalRecord {
  return {
    ...pickCall(call),
    label: call.label,
    exit_code: outcome.exit_code,
    output: outcome.output.toString('base64'),
    message: outcome.message,
  };
}

export const journalGap = (at: { activity_id: string }, position: number, last: number) =>
  journalConflict(`activity ${at.activity_id} has records up to position ${last}; position ${position} leaves a gap`);

export const recordConflict = (at: { activity_id: string }, position: number) =>
  journalConflict(`position ${position} of activity ${at.activity_id} has another record`);

export const siteConflict = (at: { activity_id: string }, call: { kind: string; name: string; ordinal: number }) =>
  journalConflict(`activity ${at.activity_id} has recorded ${call.kind} ${siteOf(call)} at another position`);
