import type { Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import type { HandlerPatterns } from '../contract.ts';
import { HANDLER } from '../domain/names.ts';
import { FILE_SET_MEMBER } from '../../workflows/contract.ts';

/** A handler as lists show it. Times are epoch milliseconds. */
export interface HandlerEntry {
  name: string;
  handler_id: string;
  /** The patterns, as JSON. */
  patterns: string;
  predicate: string | null;
  /** What lists show of the definition, as JSON. */
  about: string;
  set_by: string | null;
  /** The resource of another plugin that owns it, or null if a person registered it. */
  owner: string | null;
  created_at: number;
  set_at: number;
}

/** A handler with its workflow. */
export interface HandlerRow extends HandlerEntry, NamedRow {
  org: string;
  project: string;
  revision: string;
  /** The workflow as sealed JSON. */
  definition: Buffer;
}

const CHUNK_SIZE = 200;

/** The project's bus must be locked for writes. */
export const handlers = new NamedTable<HandlerRow, HandlerEntry>({
  ...HANDLER,
  table: 'handlers_handlers',
  id: 'handler_id',
  preserved: ['org', 'project', 'owner', 'created_at'],
  replaced: ['revision', 'patterns', 'predicate', 'about', 'definition', 'set_by', 'set_at'],
  listed: ['name', 'handler_id', 'patterns', 'predicate', 'about', 'set_by', 'owner', 'created_at', 'set_at'],
});

/** Returns the handlers with these names, by name; missing ones are left out. */
export async function readHandlers(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<Map<string, HandlerRow>> {
  const rows_by_name = new Map<string, HandlerRow>();
  for (let at = 0; at < names.length; at += CHUNK_SIZE) {
    const chunk = names.slice(at, at + CHUNK_SIZE);
    const rows = await on.read<HandlerRow>(
      `SELECT ${handlers.columns} FROM handlers_handlers WHERE project_id = ? AND org_id = ?
       AND name IN (${chunk.map(() => '?').join(', ')})`,
      [project_id, org_id, ...chunk],
    );
    for (const row of rows) rows_by_name.set(row.name, row);
  }
  return rows_by_name;
}

/** Returns what matching needs of every handler of a project, by name. */
export function readPatterns(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<Pick<HandlerEntry, 'name' | 'patterns' | 'predicate' | 'about'>[]> {
  return on.read('SELECT name, patterns, predicate, about FROM handlers_handlers WHERE project_id = ? ORDER BY name', [
    project_id,
  ]);
}

/** Returns the first handlers by name that were set before a time. */
export async function listSetBefore(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  before: number,
  limit: number,
): Promise<HandlerPatterns[]> {
  const rows = await on.read<Pick<HandlerEntry, 'name' | 'patterns'>>(
    `SELECT name, patterns FROM handlers_handlers WHERE project_id = ? AND org_id = ? AND set_at < ?
     ORDER BY name LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, before],
  );
  return rows.map(({ name, patterns }) => ({ name, on: JSON.parse(patterns) as string[] }));
}

/** Lists what a project's handlers listen to, by name. */
export function listDefinitions(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  limit: number,
): Promise<Pick<HandlerRow, 'name' | 'revision' | 'patterns' | 'predicate' | 'about'>[]> {
  return on.read(
    `SELECT name, revision, patterns, predicate, about FROM handlers_handlers WHERE project_id = ? AND org_id = ?
     ORDER BY name LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id],
  );
}

/** Returns the number of a project's handlers, the bytes of their predicates, and what lists show of those with options. */
export async function measureHandlers(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<{ count: number; predicate_bytes: number; abouts: string[] }> {
  const [row] = await on.read<{ many: number; bytes: number }>(
    `SELECT COUNT(*) AS many, COALESCE(SUM(OCTET_LENGTH(predicate)), 0) AS bytes FROM handlers_handlers
     WHERE project_id = ?`,
    [project_id],
  );
  const rows = await on.read<{ about: string }>(
    `SELECT about FROM handlers_handlers WHERE project_id = ? AND (INSTR(about, '"key":"') > 0 OR INSTR(about, '"priority":"') > 0)`,
    [project_id],
  );
  return {
    count: Number(row!.many),
    predicate_bytes: Number(row!.bytes),
    abouts: rows.map(({ about }) => about),
  };
}

/** Returns handlers whose workflow may use a credential, newest first. */
export function listUsingCredential(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  credential: string,
): Promise<Pick<HandlerEntry, 'name' | 'about'>[]> {
  // JSON.stringify writes `"VARIABLE":"name"`, and names contain nothing that it escapes.
  return on.read(
    `SELECT name, about FROM handlers_handlers WHERE project_id = ? AND org_id = ? AND INSTR(about, ?) > 0
     ORDER BY handler_id DESC`,
    [project_id, org_id, `:"${credential}"`],
  );
}

/** Returns the handlers of a project whose workflow includes files: all, or the one with a name. */
export const listUsingFiles = (
  on: Pick<Queries, 'read'>,
  project_id: string,
  only?: string,
): Promise<{ about: string }[]> =>
  on.read(
    `SELECT about FROM handlers_handlers WHERE project_id = ? ${only === undefined ? '' : 'AND name = ?'} AND INSTR(about, ?) > 0`,
    [project_id, ...(only === undefined ? [] : [only]), FILE_SET_MEMBER],
  );
