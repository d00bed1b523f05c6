import type { Page, Param, Queries, Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

/** What a list shows of a handler. Times are epoch milliseconds. */
export interface HandlerEntry {
  name: string;
  handler_id: string;
  /** JSON: the patterns. */
  patterns: string;
  predicate: string | null;
  /** JSON: what lists show of the definition. */
  about: string;
  set_by: string | null;
  created_at: number;
  set_at: number;
}

/** With what it runs. */
export interface HandlerRow extends HandlerEntry, ProjectScope {
  org: string;
  project: string;
  revision: string;
  /** Sealed JSON. */
  definition: Buffer;
}

const ENTRY = 'name, handler_id, patterns, predicate, about, set_by, created_at, set_at';
const ROW = `${ENTRY}, org_id, project_id, org, project, revision, definition`;
const REPLACED = ['revision', 'patterns', 'predicate', 'about', 'definition', 'set_by', 'set_at'] as const;
const IN_ONE = 200;

/** True when it is new. The project's bus must be locked. */
export async function writeHandler(tx: Transaction, handler: HandlerRow): Promise<boolean> {
  const values = REPLACED.map((column): Param => handler[column]);
  const { project_id, org_id, name } = handler;
  const replaced = await tx.write(
    `UPDATE handlers_handlers SET ${REPLACED.map((column) => `${column} = ?`).join(', ')}
     WHERE project_id = ? AND org_id = ? AND name = ?`,
    [...values, project_id, org_id, name],
  );
  if (replaced === 1) return false;
  await tx.write(
    `INSERT INTO handlers_handlers (project_id, name, org_id, org, project, handler_id, created_at, ${REPLACED.join(', ')})
     VALUES (?, ?, ?, ?, ?, ?, ?, ${REPLACED.map(() => '?').join(', ')})`,
    [project_id, name, org_id, handler.org, handler.project, handler.handler_id, handler.created_at, ...values],
  );
  return true;
}

/** False when there was none. */
export async function removeHandler(tx: Transaction, scope: ProjectScope, name: string): Promise<boolean> {
  const removed = await tx.write('DELETE FROM handlers_handlers WHERE project_id = ? AND org_id = ? AND name = ?', [
    scope.project_id,
    scope.org_id,
    name,
  ]);
  return removed === 1;
}

/** The handlers of these names, by name; those that are not there are left out. */
export async function readHandlers(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<Map<string, HandlerRow>> {
  const found = new Map<string, HandlerRow>();
  for (let at = 0; at < names.length; at += IN_ONE) {
    const some = names.slice(at, at + IN_ONE);
    const rows = await on.read<HandlerRow>(
      `SELECT ${ROW} FROM handlers_handlers WHERE project_id = ? AND org_id = ?
       AND name IN (${some.map(() => '?').join(', ')})`,
      [project_id, org_id, ...some],
    );
    for (const row of rows) found.set(row.name, row);
  }
  return found;
}

/** One more than the limit, newest first. */
export function listHandlers(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  page: Page,
): Promise<HandlerEntry[]> {
  return on.read<HandlerEntry>(
    `SELECT ${ENTRY} FROM handlers_handlers WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND handler_id < ?'}
     ORDER BY handler_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [project_id, org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}

/** Of every handler of a project what decides whether an event starts it, by name. */
export function readPatterns(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<Pick<HandlerEntry, 'name' | 'patterns' | 'predicate' | 'about'>[]> {
  return on.read('SELECT name, patterns, predicate, about FROM handlers_handlers WHERE project_id = ? ORDER BY name', [
    project_id,
  ]);
}

/** How many handlers a project has, and the bytes of their predicates. */
export async function sizeOf(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<{ handlers: number; predicate_bytes: number }> {
  const [row] = await on.read<{ handlers: number; bytes: number }>(
    `SELECT COUNT(*) AS handlers, COALESCE(SUM(OCTET_LENGTH(predicate)), 0) AS bytes FROM handlers_handlers
     WHERE project_id = ?`,
    [project_id],
  );
  return { handlers: Number(row!.handlers), predicate_bytes: Number(row!.bytes) };
}

/** What the runs of a handler name: credential → variables. */
export async function writeCredentials(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  name: string,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  await tx.write('DELETE FROM handlers_credentials WHERE project_id = ? AND name = ?', [project_id, name]);
  for (const credential of new Set(Object.values(credentials))) {
    const variables = Object.keys(credentials).filter((variable) => credentials[variable] === credential);
    await tx.write(
      'INSERT INTO handlers_credentials (project_id, credential, name, org_id, variables) VALUES (?, ?, ?, ?, ?)',
      [project_id, credential, name, org_id, variables.join(', ')],
    );
  }
}

/** Handlers whose runs name a credential, newest first. */
export function namingCredential(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  credential: string,
  limit: number,
): Promise<{ name: string; variables: string }[]> {
  return on.read(
    `SELECT c.name AS name, c.variables AS variables FROM handlers_credentials c
     JOIN handlers_handlers h ON h.project_id = c.project_id AND h.name = c.name
     WHERE c.project_id = ? AND c.org_id = ? AND c.credential = ?
     ORDER BY h.handler_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, credential],
  );
}
