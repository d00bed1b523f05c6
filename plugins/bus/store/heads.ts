import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';

/** The head of a project's bus: the sequence number and the time of its last event. */
export interface Head {
  seq: number;
  at: number;
}

/** Holds the project's lock until the transaction ends. On SQLite the writer holds it already. */
export async function lockHead(tx: Transaction, { org_id, project_id }: ProjectScope): Promise<Head> {
  const known = await readHead(tx, project_id);
  if (known) return known;
  await tx.write(`${tx.sql.insert_ignore} bus_heads (project_id, org_id, last_seq, last_at) VALUES (?, ?, 0, 0)`, [
    project_id,
    org_id,
  ]);
  const made = await readHead(tx, project_id);
  if (!made) throw new Error(`the head of the bus of ${project_id} was neither made nor found`);
  return made;
}

async function readHead(tx: Transaction, project_id: string): Promise<Head | undefined> {
  const [row] = await tx.lock<{ last_seq: number; last_at: number }>({
    table: 'bus_heads',
    key: ['project_id'],
    columns: 'last_seq, last_at',
    where: 'project_id = ?',
    params: [project_id],
  });
  return row && { seq: Number(row.last_seq), at: Number(row.last_at) };
}

/** The head must be locked. */
export async function moveHead(tx: Transaction, project_id: string, to: Head): Promise<void> {
  const moved = await tx.write('UPDATE bus_heads SET last_seq = ?, last_at = ? WHERE project_id = ? AND last_seq < ?', [
    to.seq,
    to.at,
    project_id,
    to.seq,
  ]);
  if (moved !== 1) throw new Error(`the head of the bus of ${project_id} did not move to ${to.seq}`);
  tx.wrote('bus_heads', [[project_id]]);
}
