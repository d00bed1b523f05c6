import {
  insertRows,
  type Param,
  type Queries,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { type Ask, MAX_OPEN_ASKS, queueOf } from '../domain/ask.ts';

/** The payload of an ask that nothing takes any more: a run must not grow by what it was asked. */
const NO_PAYLOAD = Buffer.alloc(0);

export interface AskScope {
  org_id: string;
  project_id: string;
  run_id: string;
}

export interface NewAsk extends Ask {
  payload: Buffer;
}

type Field = 'payload' | 'answer';

const sealContext = ({ org_id, project_id, run_id }: AskScope, ask_id: string, field: Field): SealContext => ({
  org_id,
  project_id,
  table: 'asks_asks',
  kind: 'ask',
  name: `${run_id}/${ask_id}`,
  field,
});

const COLUMNS = 'run_id ask_id org_id project_id seq name queue state sent_by sent_at deadline payload'.split(' ');
const READ = 'ask_id, name, state, sent_by, sent_at, deadline, delivered_at, answered_at';

/** The number of the run's newest ask; they are numbered from 1. The run must be locked. */
export async function newestSeq(tx: Transaction, run_id: string): Promise<number> {
  const [last] = await tx.read<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM asks_asks WHERE run_id = ?', [
    run_id,
  ]);
  return Number(last?.seq ?? 0);
}

/** The run must be locked, and the org's keys ready. */
export async function insertAsk(
  tx: Transaction,
  sealer: Sealer,
  scope: AskScope,
  ask: NewAsk,
  seq: number,
): Promise<void> {
  const row: Param[] = [
    scope.run_id,
    ask.ask_id,
    scope.org_id,
    scope.project_id,
    seq,
    ask.name,
    queueOf(ask.name),
    ask.state,
    ask.sent_by,
    ask.sent_at,
    ask.deadline,
    sealer.seal(sealContext(scope, ask.ask_id, 'payload'), ask.payload),
  ];
  await insertRows(tx, 'INSERT INTO asks_asks', COLUMNS, [row]);
}

export async function readAsk(on: Pick<Queries, 'read'>, run_id: string, ask_id: string): Promise<Ask | undefined> {
  const [ask] = await on.read<Ask>(`SELECT ${READ} FROM asks_asks WHERE run_id = ? AND ask_id = ?`, [run_id, ask_id]);
  return ask;
}

/** The JSON text of an answer. The org's keys must be ready. */
export async function readAnswer(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  scope: AskScope,
  ask_id: string,
): Promise<string | undefined> {
  const [row] = await on.read<{ answer: Buffer | null }>(
    'SELECT answer FROM asks_asks WHERE run_id = ? AND ask_id = ?',
    [scope.run_id, ask_id],
  );
  return row?.answer ? sealer.open(sealContext(scope, ask_id, 'answer'), row.answer).toString() : undefined;
}

/** The newest first, before a number. */
export function listAsks(
  on: Pick<Queries, 'read'>,
  run_id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<(Ask & { seq: number })[]> {
  const [condition, params] = before === undefined ? ['', []] : [' AND seq < ?', [before]];
  return on.read<Ask & { seq: number }>(
    `SELECT seq, ${READ} FROM asks_asks WHERE run_id = ?${condition} ORDER BY seq DESC LIMIT ${Math.trunc(limit)}`,
    [run_id, ...params],
  );
}

/** Expires open asks whose deadline has passed, and returns how many are left. The run must be locked. */
export async function countOpen(tx: Transaction, run_id: string, now: number): Promise<number> {
  const open = await tx.read<{ ask_id: string; deadline: number }>(
    `SELECT ask_id, deadline FROM asks_asks WHERE run_id = ? AND state IN ('queued', 'delivered') LIMIT ${MAX_OPEN_ASKS}`,
    [run_id],
  );
  const overdue = open.filter(({ deadline }) => deadline <= now);
  for (const { ask_id } of overdue)
    await tx.write(
      `UPDATE asks_asks SET state = 'expired', payload = ?
       WHERE run_id = ? AND ask_id = ? AND state IN ('queued', 'delivered')`,
      [NO_PAYLOAD, run_id, ask_id],
    );
  return open.length - overdue.length;
}

/** Takes the oldest queued ask of a name that is not overdue. The run must be locked, and the org's keys ready. */
export async function consumeOldest(
  tx: Transaction,
  sealer: Sealer,
  scope: AskScope,
  name: string,
  now: number,
): Promise<{ ask: Ask; payload: Buffer } | undefined> {
  const [ask] = await tx.read<Ask & { payload: Buffer }>(
    `SELECT ${READ}, payload FROM asks_asks WHERE run_id = ? AND state = 'queued' AND queue = ? AND deadline > ?
     ORDER BY seq LIMIT 1`,
    [scope.run_id, queueOf(name), now],
  );
  if (!ask) return undefined;
  await markDelivered(tx, scope.run_id, ask.ask_id, now);
  return { ask, payload: sealer.open(sealContext(scope, ask.ask_id, 'payload'), ask.payload) };
}

/** queued → delivered. The run must be locked. */
export async function markDelivered(tx: Transaction, run_id: string, ask_id: string, now: number): Promise<void> {
  const written = await tx.write(
    `UPDATE asks_asks SET state = 'delivered', delivered_at = ?, payload = ?
     WHERE run_id = ? AND ask_id = ? AND state = 'queued'`,
    [now, NO_PAYLOAD, run_id, ask_id],
  );
  if (written !== 1) throw new Error(`the ask ${ask_id} of ${run_id} changed under the lock of its run`);
}

/** queued | delivered → answered, once and before the deadline. The org's keys must be ready. */
export async function writeAnswer(
  tx: Transaction,
  sealer: Sealer,
  scope: AskScope,
  { ask_id, answer, now }: { ask_id: string; answer: Buffer; now: number },
): Promise<boolean> {
  const answered = await tx.write(
    `UPDATE asks_asks SET state = 'answered', answered_at = ?, answer = ?, payload = ?
     WHERE run_id = ? AND ask_id = ? AND state IN ('queued', 'delivered') AND deadline > ?`,
    [now, sealer.seal(sealContext(scope, ask_id, 'answer'), answer), NO_PAYLOAD, scope.run_id, ask_id, now],
  );
  return answered === 1;
}
