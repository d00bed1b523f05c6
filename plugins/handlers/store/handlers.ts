import type { Queries } from '../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../resources/contract.ts';
import { HANDLER } from '../domain/names.ts';
import { NAMES_FILES } from '../../workflows/contract.ts';

/** A handler in a list. Times are epoch milliseconds. */
export interface HandlerEntry {
  name: string;
  handler_id: string;
  /** JSON: the patterns. */
  patterns: string;
  predicate: string | null;
  /** JSON: the part of the definition that lists show. */
  about: string;
  set_by: string | null;
  /** The resource of another plugin to which it belongs; null: a person registered it. */
  owner: string | null;
  created_at: number;
  set_at: number;
}

/** With its workflow. */
export interface HandlerRow extends HandlerEntry, NamedRow {
  org: string;
  project: string;
  revision: string;
  /** Sealed JSON. */
  definition: Buffer;
}

const IN_ONE = 200;

/** The project's bus must be locked where a row is written. */
export const handlers = new NamedTable<HandlerRow, HandlerEntry>({
  ...HANDLER,
  table: 'handlers_handlers',
  id: 'handler_id',
  kept: ['org', 'project', 'owner', 'created_at'],
  replaced: ['revision', 'patterns', 'predicate', 'about', 'definition', 'set_by', 'set_at'],
  listed: ['name', 'handler_id', 'patterns', 'predicate', 'about', 'set_by', 'owner', 'created_at', 'set_at'],
});

/** The handlers with these names, by name; missing ones are left out. */
export async function readHandlers(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<Map<string, HandlerRow>> {
  const found = new Map<string, HandlerRow>();
  for (let at = 0; at < names.length; at += IN_ONE) {
    const some = names.slice(at, at + IN_ONE);
    const rows = await on.read<HandlerRow>(
      `SELECT ${handlers.columns} FROM handlers_handlers WHERE project_id = ? AND org_id = ?
       AND name IN (${some.map(() => '?').join(', ')})`,
      [project_id, org_id, ...some],
    );
    for (const row of rows) found.set(row.name, row);
  }
  return found;
}

/** The matching part of every handler of a project, by name. */
export function readPatterns(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<Pick<HandlerEntry, 'name' | 'patterns' | 'predicate' | 'about'>[]> {
  return on.read('SELECT name, patterns, predicate, about FROM handlers_handlers WHERE project_id = ? ORDER BY name', [
    project_id,
  ]);
}

/** The number of a project's handlers, and the bytes of their predicates. */
export async function sizeOf(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
): Promise<{ count: number; predicate_bytes: number }> {
  const [row] = await on.read<{ many: number; bytes: number }>(
    `SELECT COUNT(*) AS many, COALESCE(SUM(OCTET_LENGTH(predicate)), 0) AS bytes FROM handlers_handlers
     WHERE project_id = ?`,
    [project_id],
  );
  return { count: Number(row!.many), predicate_bytes: Number(row!.bytes) };
}

/** Handlers whose workflow may name a credential, newest first. */
export function namingCredential(
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

/** Those of a project whose workflow has files beside its script. */
export const namingFiles = (on: Pick<Queries, 'read'>, project_id: string): Promise<{ about: string }[]> =>
  on.read('SELECT about FROM handlers_handlers WHERE project_id = ? AND INSTR(about, ?) > 0', [
    project_id,
    NAMES_FILES,
  ]);
