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
} from '../../../kernel/contracts/index.ts';
import { type ClaimRef, type LogChunk, ofTrust, shownBytes } from '../contract.ts';
import { holds, lockFences, lost } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';
import type { KnownActivity } from './activity-owners.ts';
import { FREE_BYTES, takeFromProject } from './log-usage.ts';
import { sealed } from './sealing.ts';

const BATCH = 64;
const CALL_BYTES = 8 * 1024 * 1024;
const STREAMS: readonly string[] = ['stdout', 'stderr', 'system'];
const COLUMNS = ['run_id', 'seq', 'activity_id', 'epoch', 'n', 'stream', 'logged_at', 'site', 'data'];
/** What a chunk counts for beside its content: its row. */
const ROW_BYTES = 128;
const HEAD_COLUMNS = ['run_id', 'next_seq', 'project_id', 'untrusted', 'bytes', 'granted', 'ended'];

interface SealedChunk {
  n: number;
  stream: string;
  at: number;
  site: string | null;
  data: Buffer;
}

interface LogWrite {
  claim: ClaimRef;
  owner: KnownActivity;
  chunks: SealedChunk[];
}

/**
 * Stores log output of activities in shared transactions, up to the bounds of run and project. A repeated chunk is stored once.
 */
export class Logs {
  readonly #store: StoreParts;
  readonly #commits: GroupCommit<LogWrite, void>;

  constructor(store: StoreParts) {
    this.#store = store;
    this.#commits = store.group_commits.create<LogWrite, void>({
      name: 'runs.logs',
      max_batch: BATCH,
      flush: (tx, batch) => flush(tx, batch, store),
    });
  }

  async append(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const owner = await this.#store.owners.of(claim.activity_id);
    const write: LogWrite = { claim, owner, chunks: chunks.map((chunk) => this.#seal(owner, claim, chunk)) };
    const bytes = write.chunks.reduce((sum, { data }) => sum + data.length, 0);
    if (bytes > CALL_BYTES)
      throw Errors.payloadTooLarge(`${bytes} bytes of log in one call; the limit is ${CALL_BYTES}`);
    await retryUnknownCommit(() => this.#commits.submit(write));
  }

  #seal(owner: KnownActivity, claim: ClaimRef, chunk: LogChunk): SealedChunk {
    const { n, stream, at, site = null } = chunk;
    if (!Number.isSafeInteger(n) || n < 0 || !Number.isSafeInteger(at) || !STREAMS.includes(stream))
      throw Errors.invalidRequest('a chunk of a log needs its number, its time and one of the known streams');
    const where = sealed.log(owner, { ...claim, n });
    return { n, stream, at, site, data: this.#store.sealer.seal(where, Buffer.from(chunk.data, 'base64')) };
  }
}

/** Locks the activities for the fence (I2), then the heads of the runs' logs for the order. */
async function flush(tx: Transaction, batch: readonly LogWrite[], store: StoreParts): Promise<BatchOutcome<void>[]> {
  const fences = await lockFences(
    tx,
    batch.map(({ claim }) => claim.activity_id),
  );
  const taken = batch.filter(({ claim }) => holds(fences.get(claim.activity_id), claim));
  if (taken.length > 0) await insertChunks(tx, store, taken);
  return batch.map(({ claim }) =>
    holds(fences.get(claim.activity_id), claim) ? { ok: undefined } : { error: lost(claim) },
  );
}

async function insertChunks(tx: Transaction, store: StoreParts, writes: readonly LogWrite[]): Promise<void> {
  const owners = new Map(writes.map(({ owner }) => [owner.run_id, owner]));
  const run_ids = [...owners.keys()];
  const heads = await lockHeads(tx, run_ids);
  const rows: Param[][] = [];
  for (const write of writes) {
    const head = heads.get(write.owner.run_id)!;
    for (const chunk of await withinBounds(tx, store, head, write)) {
      const { n, stream, at, site, data } = chunk;
      rows.push([head.run_id, head.next_seq, write.claim.activity_id, write.claim.epoch, n, stream, at, site, data]);
      head.next_seq += 1;
    }
  }
  // An existing chunk keeps its position; the number taken for its repeat stays unused.
  await insertRows(tx, `${tx.sql.insert_ignore} runs_logs`, COLUMNS, rows);
  const next = [...owners.values()].map(({ run_id, project_id, trusted }) => {
    const { next_seq, bytes, granted, ended } = heads.get(run_id)!;
    return [run_id, next_seq, project_id, trusted ? 0 : 1, bytes, granted, ended];
  });
  const advance = tx.sql.upsert(['run_id'], HEAD_COLUMNS.slice(1));
  await insertRows(tx, 'INSERT INTO runs_log_heads', HEAD_COLUMNS, next, advance);
  tx.settled(
    'runs_log_heads',
    run_ids.map((run_id) => [run_id]),
  );
  tx.afterCommit(() => {
    for (const { run_id, project_id } of owners.values()) store.wakeups.run(run_id, { project_id, part: 'log' });
  });
}

/** The chunks that the log takes. It ends with a line that says why, and takes nothing more; the run goes on. */
async function withinBounds(tx: Transaction, store: StoreParts, head: Head, write: LogWrite): Promise<SealedChunk[]> {
  const taken: SealedChunk[] = [];
  for (const chunk of write.chunks) {
    if (head.ended === 1) break;
    const bytes = head.bytes + chunk.data.length + ROW_BYTES;
    const why = await beyond(tx, store, head, write.owner, bytes);
    head.bytes = bytes;
    if (why === undefined) taken.push(chunk);
    else {
      const where = sealed.log(write.owner, { ...write.claim, n: chunk.n });
      taken.push({ ...chunk, stream: 'system', data: store.sealer.seal(where, Buffer.from(lastLine(why))) });
      head.ended = 1;
    }
  }
  return taken;
}

const lastLine = (why: string): string => `svc: the log ends here: ${why}. The run goes on.\n`;

/** The bound that a log of so many bytes would pass. What it needs of its project it takes. */
async function beyond(
  tx: Transaction,
  { limits }: Pick<StoreParts, 'limits'>,
  head: Head,
  { project_id, trusted }: KnownActivity,
  bytes: number,
): Promise<string | undefined> {
  const own = ofTrust(limits.run, trusted).log;
  if (bytes > own)
    return trusted
      ? `it has reached the ${shownBytes(own)} that the log of a run may have (SVC_RUN_LIMITS)`
      : `it has reached the ${shownBytes(own)} that the log of an untrusted run may have (SVC_UNTRUSTED_RUN_LIMITS)`;
  const missing = bytes - ofTrust(FREE_BYTES, trusted) - head.granted;
  if (missing <= 0) return undefined;
  const shared = ofTrust(limits.project, trusted).log;
  const granted = await takeFromProject(
    tx,
    { project_id, untrusted: !trusted, granted: head.granted },
    missing,
    shared,
  );
  head.granted += granted;
  if (granted > 0) return undefined;
  return trusted
    ? `the logs of the project have reached the ${shownBytes(shared)} that they may have together (SVC_PROJECT_LIMITS)`
    : `the logs of untrusted runs of the project have reached the ${shownBytes(shared)} that they may have together (SVC_UNTRUSTED_PROJECT_LIMITS)`;
}

/** How far the log of a run is. */
interface Head {
  run_id: string;
  next_seq: number;
  bytes: number;
  granted: number;
  ended: number;
}

/** The heads of runs' logs, under their locks. A run's head is created with its first chunk. */
async function lockHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, Head>> {
  const heads = await readHeads(tx, run_ids);
  const missing = run_ids.filter((run_id) => !heads.has(run_id));
  if (missing.length === 0) return heads;
  await insertRows(
    tx,
    `${tx.sql.insert_ignore} runs_log_heads`,
    ['run_id', 'next_seq'],
    missing.map((run_id) => [run_id, 0]),
  );
  for (const [run_id, head] of await readHeads(tx, missing)) heads.set(run_id, head);
  return heads;
}

async function readHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  for (const ids of chunks(run_ids)) {
    const list = inList(ids);
    const rows = await tx.lock<Head>({
      table: 'runs_log_heads',
      key: ['run_id'],
      columns: 'run_id, next_seq, bytes, granted, ended',
      where: `run_id IN ${list.marks}`,
      params: list.params,
    });
    for (const row of rows) heads.set(row.run_id, { ...row });
  }
  return heads;
}
