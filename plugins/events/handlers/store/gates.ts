import {
  chunks,
  inKeys,
  inList,
  insertRows,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { GateKind } from '../domain/gates.ts';

/** A gate at which deliveries wait for a time. */
export interface Gate {
  gate: string;
  name: string;
  kind: GateKind;
  /** When its first delivery came. */
  opened_at: number;
  due_at: number;
}

/** What went through a gate since a time, and how many deliveries wait at it. */
export interface GateUse {
  passed: number;
  waiting: number;
}

const COLUMNS = 'gate, name, kind, opened_at, due_at';
/** Gates that one statement reads. */
const MAX_READ = 32;

const toGate = ({ opened_at, due_at, ...gate }: Gate): Gate => ({
  ...gate,
  opened_at: Number(opened_at),
  due_at: Number(due_at),
});

/** Returns the use of gates, by gate. `since` is the beginning of the period that counts. */
export async function readGateUses(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  gates: readonly { gate: string; since: number }[],
): Promise<Map<string, GateUse>> {
  const uses = new Map<string, GateUse>();
  for (let at = 0; at < gates.length; at += MAX_READ) {
    const chunk = gates.slice(at, at + MAX_READ);
    const rows = await on.read<GateUse & { gate: string }>(
      chunk
        .map(
          () => `SELECT ? AS gate,
            (SELECT COUNT(*) FROM handlers_passes WHERE project_id = ? AND gate = ? AND passed_at > ?) AS passed,
            (SELECT COUNT(*) FROM handlers_queue WHERE project_id = ? AND gate = ?) AS waiting`,
        )
        .join(' UNION ALL '),
      chunk.flatMap(({ gate, since }) => [gate, project_id, gate, since, project_id, gate]),
    );
    for (const { gate, passed, waiting } of rows) uses.set(gate, { passed: Number(passed), waiting: Number(waiting) });
  }
  return uses;
}

/** Returns when the `n`th of the last passes was, counted from 1; undefined if there were fewer. */
export async function readPass(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  gate: string,
  n: number,
): Promise<number | undefined> {
  const [row] = await on.read<{ passed_at: number }>(
    `SELECT passed_at FROM handlers_passes WHERE project_id = ? AND gate = ?
     ORDER BY passed_at DESC LIMIT 1 OFFSET ${Math.trunc(n) - 1}`,
    [project_id, gate],
  );
  return row && Number(row.passed_at);
}

export interface Pass {
  gate: string;
  event_seq: number;
  period_ms: number;
}

export async function insertPasses(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  passes: readonly Pass[],
  now: number,
): Promise<void> {
  const rows = passes.map(({ gate, event_seq, period_ms }) => [
    project_id,
    gate,
    event_seq,
    org_id,
    now,
    now + period_ms,
  ]);
  const columns = ['project_id', 'gate', 'event_seq', 'org_id', 'passed_at', 'expires_at'];
  await insertRows(tx, `${tx.sql.insert_ignore} handlers_passes`, columns, rows);
}

/** Removes a page of passes whose period is over. Returns how many. */
export async function removeExpiredPasses(
  on: Pick<Queries, 'read' | 'write'>,
  now: number,
  limit: number,
): Promise<number> {
  const rows = await on.read<{ project_id: string; gate: string; event_seq: number }>(
    `SELECT project_id, gate, event_seq FROM handlers_passes WHERE expires_at <= ?
     ORDER BY expires_at LIMIT ${Math.trunc(limit)}`,
    [now],
  );
  if (rows.length === 0) return 0;
  const { condition, params } = inKeys(
    ['project_id', 'gate', 'event_seq'],
    rows.map((row) => ({ ...row, event_seq: Number(row.event_seq) })),
  );
  return on.write(`DELETE FROM handlers_passes WHERE ${condition} AND expires_at <= ?`, [...params, now]);
}

export async function readGates(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  gates: readonly string[],
): Promise<Map<string, Gate>> {
  const found = new Map<string, Gate>();
  for (const chunk of chunks(gates)) {
    const list = inList(chunk);
    const rows = await on.read<Gate>(
      `SELECT ${COLUMNS} FROM handlers_gates WHERE project_id = ? AND gate IN ${list.placeholders}`,
      [project_id, ...list.params],
    );
    for (const row of rows) found.set(row.gate, toGate(row));
  }
  return found;
}

export async function insertGate(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  { gate, name, kind, opened_at, due_at }: Gate,
): Promise<void> {
  await tx.write(
    `INSERT INTO handlers_gates (project_id, gate, org_id, name, kind, opened_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [project_id, gate, org_id, name, kind, opened_at, due_at],
  );
}

export async function changeDue(tx: Transaction, { project_id }: ProjectScope, gate: string, due_at: number) {
  await tx.write('UPDATE handlers_gates SET due_at = ? WHERE project_id = ? AND gate = ?', [due_at, project_id, gate]);
}

export async function removeGate(tx: Transaction, { project_id }: ProjectScope, gate: string): Promise<void> {
  await tx.write('DELETE FROM handlers_gates WHERE project_id = ? AND gate = ?', [project_id, gate]);
}

export async function removeGatesOf(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_gates WHERE project_id = ? AND name = ?', [project_id, name]);
}

/** Lets the gates of one kind of a handler be looked at now, because its option was changed. Returns how many. */
export const callGates = (tx: Transaction, { project_id }: ProjectScope, name: string, kind: GateKind, now: number) =>
  tx.write('UPDATE handlers_gates SET due_at = ? WHERE project_id = ? AND name = ? AND kind = ?', [
    now,
    project_id,
    name,
    kind,
  ]);

/** Returns the gates of a project that are due, the earliest first. */
export async function listDueGates(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  now: number,
  limit: number,
): Promise<Gate[]> {
  const rows = await on.read<Gate>(
    `SELECT ${COLUMNS} FROM handlers_gates WHERE project_id = ? AND due_at <= ?
     ORDER BY due_at, gate LIMIT ${Math.trunc(limit)}`,
    [project_id, now],
  );
  return rows.map(toGate);
}

/** Returns projects with gates that are due, the one that has waited longest first. */
export const listDueProjects = (on: Pick<Queries, 'read'>, now: number, limit: number): Promise<ProjectScope[]> =>
  on.read<ProjectScope>(
    `SELECT project_id, org_id FROM handlers_gates WHERE due_at <= ?
     GROUP BY project_id, org_id ORDER BY MIN(due_at) LIMIT ${Math.trunc(limit)}`,
    [now],
  );

/** Returns when the next gate is due, if there is any. */
export async function readNextDue(on: Pick<Queries, 'read'>): Promise<number | undefined> {
  const [row] = await on.read<{ due_at: number }>('SELECT due_at FROM handlers_gates ORDER BY due_at LIMIT 1', []);
  return row && Number(row.due_at);
}
