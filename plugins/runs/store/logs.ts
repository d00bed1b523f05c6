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
import type { ClaimRef, LogChunk } from '../contract.ts';
import { holds, lockFences, lost } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityOwner } from './activity-owners.ts';
import { sealed } from './sealing.ts';

const BATCH = 64;
const CALL_BYTES = 8 * 1024 * 1024;
const STREAMS: readonly string[] = ['stdout', 'stderr', 'system'];
const COLUMNS = ['run_id', 'seq', 'activity_id', 'epoch', 'n', 'stream', 'logged_at', 'site', 'data'];
const HEAD_COLUMNS = ['run_id', 'next_seq'];

interface LogWrite {
  claim: ClaimRef;
  owner: ActivityOwner;
  chunks: { n: number; stream: string; at: number; site: string | null; data: Buffer }[];
}

/** Stores log output of activities in shared transactions. A repeated chunk is stored once. */
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

  #seal(owner: ActivityOwner, claim: ClaimRef, chunk: LogChunk): LogWrite['chunks'][number] {
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
  const places = new Map(writes.map(({ owner }) => [owner.run_id, owner.project_id]));
  const run_ids = [...places.keys()];
  const heads = await lockHeads(tx, run_ids);
  const rows: Param[][] = [];
  for (const { claim, owner, chunks } of writes) {
    for (const { n, stream, at, site, data } of chunks) {
      const seq = heads.get(owner.run_id)!;
      heads.set(owner.run_id, seq + 1);
      rows.push([owner.run_id, seq, claim.activity_id, claim.epoch, n, stream, at, site, data]);
    }
  }
  // An existing chunk keeps its position; the number taken for its repeat stays unused.
  await insertRows(tx, `${tx.sql.insert_ignore} runs_logs`, COLUMNS, rows);
  const next = run_ids.map((run_id) => [run_id, heads.get(run_id)!]);
  const advance = tx.sql.upsert(['run_id'], ['next_seq']);
  await insertRows(tx, 'INSERT INTO runs_log_heads', HEAD_COLUMNS, next, advance);
  tx.settled(
    'runs_log_heads',
    run_ids.map((run_id) => [run_id]),
  );
  tx.afterCommit(() => {
    for (const [run_id, project_id] of places) store.wakeups.run(run_id, { project_id, part: 'log' });
  });
}

/** The next number of each run's log, under its lock. A run's head is created with its first chunk. */
async function lockHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, number>> {
  const heads = await readHeads(tx, run_ids);
  const missing = run_ids.filter((run_id) => !heads.has(run_id));
  if (missing.length === 0) return heads;
  await insertRows(
    tx,
    `${tx.sql.insert_ignore} runs_log_heads`,
    ['run_id', 'next_seq'],
    missing.map((run_id) => [run_id, 0]),
  );
  for (const [run_id, seq] of await readHeads(tx, missing)) heads.set(run_id, seq);
  return heads;
}

async function readHeads(tx: Transaction, run_ids: readonly string[]): Promise<Map<string, number>> {
  const heads = new Map<string, number>();
  for (const ids of chunks(run_ids)) {
    const list = inList(ids);
    const rows = await tx.lock<{ run_id: string; next_seq: number }>({
      table: 'runs_log_heads',
      key: ['run_id'],
      columns: 'run_id, next_seq',
      where: `run_id IN ${list.marks}`,
      params: list.params,
    });
    for (const { run_id, next_seq } of rows) heads.set(run_id, next_seq);
  }
  return heads;
}
