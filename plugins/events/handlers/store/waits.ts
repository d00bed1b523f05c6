import { chunks, inList, type Queries } from '../../../../kernel/contracts/index.ts';
import type { DeliveryWait, ProjectScope, StoredEvent } from '../../bus/contract.ts';
import { BLOCKED, COLLECTED, type GateKind, MEMBER, THROTTLED } from '../domain/gates.ts';

/** Further deliveries are not counted. */
const MAX_COUNTED = 10_000;

interface WaitingRow {
  name: string;
  blocked: number | null;
  gate: string | null;
  admission: string | null;
  batch: number | null;
  sort_at: number | null;
  trusted: number;
}

/** Returns what the queued deliveries of an event wait for, by the name of their handler. */
export async function readWaits(
  on: Pick<Queries, 'read'>,
  event: Pick<StoredEvent, 'org_id' | 'project_id' | 'seq'>,
  names: readonly string[],
): Promise<Map<string, DeliveryWait>> {
  const waits = new Map<string, DeliveryWait>();
  for (const chunk of chunks(names)) {
    const list = inList(chunk);
    const rows = await on.read<WaitingRow>(
      `SELECT name, blocked, gate, admission, batch, sort_at, trusted FROM handlers_queue
       WHERE project_id = ? AND event_seq = ? AND name IN ${list.placeholders}`,
      [event.project_id, event.seq, ...list.params],
    );
    for (const row of rows) waits.set(row.name, await describeWait(on, event, row));
  }
  return waits;
}

/** The deliveries that get a slot no later than one with a turn. */
const BEFORE = {
  trusted: 'blocked IS NULL AND trusted = 1 AND sort_at <= ?',
  untrusted: 'blocked IS NULL AND (trusted = 1 OR sort_at <= ?)',
};

async function describeWait(
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  { name, blocked, gate, admission, batch, sort_at, trusted }: WaitingRow,
): Promise<DeliveryWait> {
  const others = async (condition: string, params: (string | number)[]) =>
    (await countRows(on, scope, condition, params)) - 1;
  switch (Number(blocked ?? 0)) {
    case BLOCKED:
      return { for: 'concurrency', others: await others('admission = ? AND blocked = 1', [admission!]) };
    case MEMBER:
      return { for: 'batch', others: await others('batch = ? AND name = ?', [Number(batch), name]) };
    case THROTTLED:
    case COLLECTED: {
      const [row] = await on.read<{ kind: GateKind; due_at: number }>(
        'SELECT kind, due_at FROM handlers_gates WHERE project_id = ? AND gate = ?',
        [scope.project_id, gate],
      );
      const until = row ? { until: Number(row.due_at) } : {};
      return { for: row?.kind ?? 'slot', ...until, others: await others('gate = ?', [gate!]) };
    }
    default:
      return {
        for: 'slot',
        others: await others(BEFORE[trusted === 1 ? 'trusted' : 'untrusted'], [Number(sort_at ?? 0)]),
      };
  }
}

async function countRows(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  condition: string,
  params: readonly (string | number)[],
): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM
     (SELECT 1 AS one FROM handlers_queue WHERE project_id = ? AND ${condition} LIMIT ${MAX_COUNTED}) waiting_rows`,
    [project_id, ...params],
  );
  return Math.max(1, Number(row!.n));
}

/** What deliveries of a handler wait for, how many there are, and when the first may go on. */
export interface HandlerWait {
  for: string;
  count: number;
  until?: number;
}

/** Returns what the queued deliveries of a handler wait for. */
export async function readHandlerWaits(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  name: string,
): Promise<HandlerWait[]> {
  const counts = await on.read<{ waits_for: string; n: number }>(
    `SELECT waits_for, COUNT(*) AS n FROM
     (SELECT CASE WHEN q.blocked = 1 THEN 'concurrency' WHEN q.blocked = 4 THEN 'batch' WHEN q.blocked IS NULL THEN 'slot'
        ELSE (SELECT g.kind FROM handlers_gates g WHERE g.project_id = q.project_id AND g.gate = q.gate) END AS waits_for
      FROM handlers_queue q WHERE q.project_id = ? AND q.name = ? LIMIT ${MAX_COUNTED}) waiting_rows
     GROUP BY waits_for ORDER BY waits_for`,
    [project_id, name],
  );
  if (counts.length === 0) return [];
  const gates = await on.read<{ kind: string; due_at: number }>(
    'SELECT kind, MIN(due_at) AS due_at FROM handlers_gates WHERE project_id = ? AND name = ? GROUP BY kind',
    [project_id, name],
  );
  const due = new Map(gates.map(({ kind, due_at }) => [kind, Number(due_at)]));
  return counts.map(({ waits_for, n }) => {
    const until = due.get(waits_for);
    return { for: waits_for, count: Number(n), ...(until !== undefined && { until }) };
  });
}
