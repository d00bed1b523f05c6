import {
  inList,
  insertRows,
  chunks,
  Errors,
  type BatchOutcome,
  type GroupCommit,
  type Param,
  type Transaction,
  retryUnknownCommit,
  type Database,
  type Queries,
} from '../../../../../kernel/contracts/index.ts';
import {
  type ClaimRef,
  type LogChunk,
  ofTrust,
  shownBytes,
  type CallUnderWay,
  type TellingAgent,
} from '../../contract.ts';
import {
  hasClaim,
  lockFences,
  claimLost,
  type ActivityTraits,
  lockFence,
  type ActivityOwner,
  ACTIVITY,
} from '../rows/activities.ts';
import type { StoreContext } from '../rows/context.ts';
import { UNCOUNTED_LOG_BYTES, grantLogBytes, countCalls } from '../rows/usage.ts';
import { sealContext } from '../rows/sealing.ts';
import { beginningOf } from '../read-notes.ts';

const MAX_LOG_WRITES = 64;
const MAX_CALL_BYTES = 8 * 1024 * 1024;
const STREAMS: readonly string[] = ['stdout', 'stderr', 'system'];
const LOG_COLUMNS = ['run_id', 'seq', 'activity_id', 'epoch', 'n', 'stream', 'logged_at', 'site', 'data'];
/** What the row of a chunk counts for, beside its content. */
const LOG_ROW_BYTES = 128;
const LOG_HEAD_COLUMNS = ['run_id', 'next_seq', 'project_id', 'untrusted', 'bytes', 'granted', 'ended'];

interface SealedChunk {
  n: number;
  stream: string;
  at: number;
  site: string | null;
  data: Buffer;
}

interface LogWrite {
  claim: ClaimRef;
  owner: ActivityTraits;
  chunks: SealedChunk[];
}

/** Stores log output up to the quotas of run and project. Activities share transactions. A repeated chunk is stored once. */
export class LogAppends {
  readonly #store: StoreContext;
  readonly #commits: GroupCommit<LogWrite, void>;

  constructor(store: StoreContext) {
    this.#store = store;
    this.#commits = store.group_commits.create<LogWrite, void>({
      name: 'runs.logs',
      max_batch: MAX_LOG_WRITES,
      flush: (tx, batch) => appendChunks(tx, batch, store),
    });
  }

  async append(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const owner = await this.#store.owners.find(claim.activity_id);
    const write: LogWrite = { claim, owner, chunks: chunks.map((chunk) => this.#seal(owner, claim, chunk)) };
    const bytes = write.chunks.reduce((sum, { data }) => sum + data.length, 0);
    if (bytes > MAX_CALL_BYTES)
      throw Errors.payloadTooLarge(`${bytes} bytes of log in one call; the limit is ${MAX_CALL_BYTES}`);
    await retryUnknownCommit(() => this.#commits.submit(write));
  }

  #seal(owner: ActivityTraits, claim: ClaimRef, chunk: LogChunk): SealedChunk {
    const { n, stream, at, site = null } = chunk;
    if (!Number.isSafeInteger(n) || n < 0 || !Number.isSafeInteger(at) || !STREAMS.includes(stream))
      throw Errors.invalidRequest('a log chunk needs a number, a time and one of the known streams');
    const where = sealContext.log(owner, { ...claim, n });
    return { n, stream, at, site, data: this.#store.sealer.seal(where, Buffer.from(chunk.data, 'base64')) };
  }
}

/** Locks the activities, so that no claim changes (I2), and then the heads of the runs' logs, which give the order. */
async function appendChunks(
  tx: Transaction,
  batch: readonly LogWrite[],
  store: StoreContext,
): Promise<BatchOutcome<void>[]> {
  const fences = await lockFences(
    tx,
    batch.map(({ claim }) => claim.activity_id),
  );
  const valid = batch.filter(({ claim }) => hasClaim(fences.get(claim.activity_id), claim));
  if (valid.length > 0) await insertChunks(tx, store, valid);
  return batch.map(({ claim }) =>
    hasClaim(fences.get(claim.activity_id), claim) ? { ok: undefined } : { error: claimLost(claim) },
  );
}

async function insertChunks(tx: Transaction, store: StoreContext, writes: readonly LogWrite[]): Promise<void> {
  const owners = new Map(writes.map(({ owner }) => [owner.run_id, owner]));
  const run_ids = [...owners.keys()];
  const heads = await lockLogHeads(tx, run_ids);
  const rows: Param[][] = [];
  for (const write of writes) {
    const head = heads.get(write.owner.run_id)!;
    for (const chunk of await withinLogQuota(tx, store, head, write)) {
      const { n, stream, at, site, data } = chunk;
      rows.push([head.run_id, head.next_seq, write.claim.activity_id, write.claim.epoch, n, stream, at, site, data]);
      head.next_seq += 1;
    }
  }
  // A chunk that exists keeps its position, and the number that its repeat took stays unused.
  await insertRows(tx, `${tx.sql.insert_ignore} runs_logs`, LOG_COLUMNS, rows);
  const next = [...owners.values()].map(({ run_id, project_id, trusted }) => {
    const { next_seq, bytes, granted, ended } = heads.get(run_id)!;
    return [run_id, next_seq, project_id, trusted ? 0 : 1, bytes, granted, ended];
  });
  const advance = tx.sql.upsert(['run_id'], LOG_HEAD_COLUMNS.slice(1));
  await insertRows(tx, 'INSERT INTO runs_log_heads', LOG_HEAD_COLUMNS, next, advance);
  tx.skipConflictGuard(
    'runs_log_heads',
    run_ids.map((run_id) => [run_id]),
  );
  tx.afterCommit(() => {
    for (const { run_id, project_id } of owners.values()) store.wakeups.run(run_id, { project_id, part: 'log' });
  });
}

/**
 * The chunks that fit into the quota. A log that exceeds it ends with a line that says why, and takes nothing more; its run
 * goes on.
 */
async function withinLogQuota(
  tx: Transaction,
  store: StoreContext,
  head: LogHead,
  write: LogWrite,
): Promise<SealedChunk[]> {
  const accepted: SealedChunk[] = [];
  for (const chunk of write.chunks) {
    if (head.ended === 1) break;
    const bytes = head.bytes + chunk.data.length + LOG_ROW_BYTES;
    const why = await logQuotaExceeded(tx, store, head, write.owner, bytes);
    head.bytes = bytes;
    if (why === undefined) accepted.push(chunk);
    else {
      const context = sealContext.log(write.owner, { ...write.claim, n: chunk.n });
      accepted.push({ ...chunk, stream: 'system', data: store.sealer.seal(context, Buffer.from(closingLine(why))) });
      head.ended = 1;
    }
  }
  return accepted;
}

const closingLine = (why: string): string => `svc: the log ends here: ${why}. The run continues.\n`;

/** Which quota a log of so many bytes would exceed. What the log needs of its project's quota is granted to it. */
async function logQuotaExceeded(
  tx: Transaction,
  { limits }: Pick<StoreContext, 'limits'>,
  head: LogHead,
  { project_id, trusted }: ActivityTraits,
  bytes: number,
): Promise<string | undefined> {
  const own = ofTrust(limits.run, trusted).log;
  if (bytes > own)
    return trusted
      ? `it has reached ${shownBytes(own)}, the limit for the log of a run (SVC_RUN_LIMITS)`
      : `it has reached ${shownBytes(own)}, the limit for the log of an untrusted run (SVC_UNTRUSTED_RUN_LIMITS)`;
  const missing = bytes - ofTrust(UNCOUNTED_LOG_BYTES, trusted) - head.granted;
  if (missing <= 0) return undefined;
  const shared = ofTrust(limits.project, trusted).log;
  const granted = await grantLogBytes(tx, { project_id, untrusted: !trusted, granted: head.granted }, missing, shared);
  head.granted += granted;
  if (granted > 0) return undefined;
  return trusted
    ? `the logs of the project have reached ${shownBytes(shared)}, their combined limit (SVC_PROJECT_LIMITS)`
    : `the logs of untrusted runs of the project have reached ${shownBytes(shared)}, their combined limit (SVC_UNTRUSTED_PROJECT_LIMITS)`;
}

/** The head of a run's log: its next number, its size, and whether it has ended. */
interface LogHead {
  run_id: string;
  next_seq: number;
  bytes: number;
  granted: number;
  ended: number;
}

/** Locks the heads of runs' logs. A head is created with the first chunk of its run. */
async function lockLogHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, LogHead>> {
  const heads = await readLogHeads(tx, run_ids);
  const missing = run_ids.filter((run_id) => !heads.has(run_id));
  if (missing.length === 0) return heads;
  await insertRows(
    tx,
    `${tx.sql.insert_ignore} runs_log_heads`,
    ['run_id', 'next_seq'],
    missing.map((run_id) => [run_id, 0]),
  );
  for (const [run_id, head] of await readLogHeads(tx, missing)) heads.set(run_id, head);
  return heads;
}

async function readLogHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, LogHead>> {
  const heads = new Map<string, LogHead>();
  for (const ids of chunks(run_ids)) {
    const list = inList(ids);
    const rows = await tx.lock<LogHead>({
      table: 'runs_log_heads',
      key: ['run_id'],
      columns: 'run_id, next_seq, bytes, granted, ended',
      where: `run_id IN ${list.placeholders}`,
      params: list.params,
    });
    for (const row of rows) heads.set(row.run_id, { ...row });
  }
  return heads;
}

const MAX_NOTE_BYTES = 256 * 1024;
const MAX_NOTES = 10_000;
/** What the row of a note counts for in an untrusted run, beside its text. */
const NOTE_ROW_BYTES = 128;
/** Bytes of all notes of an activity. Every view of its run shows them, and a list shows those of 200 runs. */
const MAX_ALL_NOTES_BYTES = 256 * 1024;

/** Stores the nth note of an activity. A later pass, or a repeat, replaces it. */
export async function annotate(store: StoreContext, claim: ClaimRef, nth: number, text: string): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_NOTE_BYTES)
    throw Errors.payloadTooLarge(`the annotation is ${bytes} bytes long; the limit is ${MAX_NOTE_BYTES}`);
  if (!Number.isInteger(nth) || nth < 0 || nth >= MAX_NOTES)
    throw Errors.invalidRequest(`an activity can have at most ${MAX_NOTES} annotations`);
  const owner = await store.owners.find(claim.activity_id);
  const shown = (await store.masks.of(owner)).text(text);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      if (!hasClaim(await lockFence(tx, claim.activity_id), claim)) throw claimLost(claim);
      const more = await checkNoteQuota(tx, owner, nth, shown);
      if (!owner.trusted && more > 0) {
        const beyond = await countCalls(tx, store.limits, owner.run_id, [{ bytes: more }]);
        if (beyond) throw beyond;
      }
      await tx.write(
        `INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at, beginning) VALUES (?, ?, ?, ?, ?, ?)
         ${tx.sql.upsert(['run_id', 'activity_id', 'nth'], ['text', 'written_at', 'beginning'])}`,
        [owner.run_id, claim.activity_id, nth, shown, store.database.now(), beginningOf(shown)],
      );
      tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'run' }));
    }),
  );
}

/** Answers how many bytes the notes grow by: none when a pass writes the same notes again. */
async function checkNoteQuota(tx: Transaction, owner: ActivityOwner, nth: number, text: string): Promise<number> {
  const [stored] = await tx.read<{ bytes: number | string | null; replaced: number | string | null }>(
    `SELECT SUM(OCTET_LENGTH(text)) AS bytes, SUM(CASE WHEN nth = ? THEN OCTET_LENGTH(text) END) AS replaced
     FROM runs_annotations WHERE run_id = ? AND activity_id = ?`,
    [nth, owner.run_id, owner.activity_id],
  );
  const replaced = stored?.replaced ?? null;
  const bytes = Buffer.byteLength(text);
  const over = Number(stored?.bytes ?? 0) - Number(replaced ?? 0) + bytes - MAX_ALL_NOTES_BYTES;
  if (over > 0)
    throw Errors.payloadTooLarge(
      `the activity's annotations would be ${over} bytes over the limit of ${MAX_ALL_NOTES_BYTES}`,
    );
  return replaced === null ? bytes + NOTE_ROW_BYTES : bytes - Number(replaced);
}

/** A call that an agent performs now. `since` is epoch ms by the database's clock. */
export interface InFlightCall extends TellingAgent, ClaimRef {
  run_id: string;
  call: CallUnderWay;
  since: number;
}

/** A call in flight of a valid claim. */
export interface NamedInFlightCall extends InFlightCall {
  /** Name of the activity. */
  activity: string;
}

const CALL_COLUMNS = ['position', 'kind', 'name', 'ordinal', 'label', 'attempt', 'attempts'] as const;
const IN_FLIGHT_KEY = ['run_id', 'activity_id'];
const IN_FLIGHT_COLUMNS = ['epoch', ...CALL_COLUMNS, 'since', 'agent_id', 'agent'];
/** How many claimed activities of a run are read. */
const MAX_IN_FLIGHT = 1000;

/** Stores calls that last. Answers those whose claims are valid, and leaves out the others. */
export async function writeInFlight(database: Database, calls: readonly InFlightCall[]): Promise<InFlightCall[]> {
  return await database.transaction(async (tx) => {
    const ids = calls.map(({ activity_id }) => activity_id);
    const fences = await lockFences(tx, ids);
    // Readers compare each row with the activity's claim, so a claim may end while this is written.
    tx.skipConflictGuard(
      ACTIVITY.table,
      ids.map((id) => [id]),
    );
    const valid = calls.filter((call) => hasClaim(fences.get(call.activity_id), call));
    if (valid.length === 0) return valid;
    const ending = tx.sql.upsert(IN_FLIGHT_KEY, IN_FLIGHT_COLUMNS);
    await insertRows(
      tx,
      'INSERT INTO runs_under_way',
      [...IN_FLIGHT_KEY, ...IN_FLIGHT_COLUMNS],
      valid.map(inFlightRow),
      ending,
    );
    return valid;
  });
}

const inFlightRow = ({ run_id, activity_id, epoch, call, since, agent_id, name }: InFlightCall): Param[] => [
  run_id,
  activity_id,
  epoch,
  ...CALL_COLUMNS.map((column) => call[column] ?? null),
  since,
  agent_id,
  name,
];

/** Removes calls that are over. Another call of the activity, or the row of another server, stays. */
export async function removeInFlight(database: Database, calls: readonly InFlightCall[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { run_id, activity_id, epoch, since } of calls)
      await tx.write('DELETE FROM runs_under_way WHERE run_id = ? AND activity_id = ? AND epoch = ? AND since = ?', [
        run_id,
        activity_id,
        epoch,
        since,
      ]);
  });
}

type CallColumns = { [column in (typeof CALL_COLUMNS)[number]]: CallUnderWay[column] | null };

interface InFlightRow extends CallColumns {
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
 * The calls of a run that are in flight: those that agents have reported to this server (`reported`, by activity), and those
 * that are stored. Leaves out calls that have a record by now, and attempts that have failed.
 */
export async function readInFlight(
  on: Pick<Queries, 'read'>,
  run_id: string,
  reported: ReadonlyMap<string, InFlightCall>,
): Promise<NamedInFlightCall[]> {
  const rows = await on.read<InFlightRow>(
    `SELECT a.activity_id, a.name AS activity, a.epoch AS claim, a.tried_at, a.tried,
       ${[...CALL_COLUMNS, 'since', 'agent_id', 'agent'].map((column) => `u.${column}`).join(', ')},
       (SELECT MAX(j.position) FROM runs_journal j WHERE j.run_id = a.run_id AND j.activity_id = a.activity_id) AS last
     FROM runs_activities a LEFT JOIN runs_under_way u
       ON u.run_id = a.run_id AND u.activity_id = a.activity_id AND u.epoch = a.epoch
     WHERE a.run_id = ? AND a.state = 'claimed' ORDER BY a.activity_id LIMIT ${MAX_IN_FLIGHT}`,
    [run_id],
  );
  return rows.flatMap((row) => {
    const { activity_id, activity, claim: epoch } = row;
    const report = reported.get(activity_id);
    const call = report?.epoch === epoch ? report : storedCall(run_id, row);
    return call && isInFlight(call.call, row) ? [{ ...call, activity }] : [];
  });
}

function storedCall(run_id: string, row: InFlightRow): InFlightCall | undefined {
  const { activity_id, claim: epoch, since, agent_id, agent } = row;
  if (since === null || agent_id === null) return undefined;
  const call = Object.fromEntries(
    CALL_COLUMNS.map((column) => [column, row[column] ?? undefined]),
  ) as unknown as CallUnderWay;
  return { run_id, activity_id, epoch, call, since: Number(since), agent_id, name: agent ?? '' };
}

/** False for a call that has a record or has failed. The attempts of a single command stand at the first position. */
function isInFlight({ position, attempt }: CallUnderWay, { last, tried_at, tried }: InFlightRow): boolean {
  if (position !== undefined && last !== null && position <= last) return false;
  return attempt === undefined || tried_at !== (position ?? 0) || (tried ?? 0) < attempt;
}
