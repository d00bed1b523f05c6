import {
  ADMIN,
  type Clock,
  type Database,
  decodeCursor,
  encodeCursor,
  iso,
  type ListRoute,
  limitOf,
  listRoute,
  pageOf,
  type Route,
  SCOPED,
} from '../../../kernel/contracts/index.ts';
import { readSince } from '../schema/contract.ts';
import entrySchema from './schema/entry.schema.json' with { type: 'json' };
import querySchema from './schema/list-audit-query.schema.json' with { type: 'json' };
import { type EntryRow, listEntries, type EntryPosition } from './store/entries.ts';

/** The routes that list what was done in a project, and to an org itself: members, projects, tokens. */
export function auditRoutes(database: Database, clock: Clock): Route[] {
  const lists: Omit<ListRoute, 'path' | 'operation' | 'summary' | 'access'> = {
    query: querySchema,
    plural: 'entries',
    item: entrySchema,
    description: 'A page of entries.',
    async list({ scope, query }) {
      // Entries of the org itself have no project.
      const { org_id, project_id } = scope;
      const { action, principal, since, cursor } = query;
      const before = decodeCursor(cursor, 'number', 'id');
      const limit = limitOf(query);
      const { rows, scanned_to } = await listEntries(database, {
        org_id,
        project_id,
        action,
        principal,
        since: since === undefined ? undefined : readSince(since, clock.now()),
        limit,
        before: before && { at: before[0], entry_id: before[1] },
      });
      const keyOf = ({ at, entry_id }: EntryPosition) => [at, entry_id] as const;
      const { items, next_cursor = scanned_to && encodeCursor(...keyOf(scanned_to)) } = pageOf(rows, limit, keyOf);
      return { items: items.map(viewEntry), next_cursor };
    },
  };
  return [
    listRoute({
      ...lists,
      path: '/api/v1/orgs/:org/audit',
      operation: 'listOrgAudit',
      summary: 'List who did what in the org itself, newest first',
      access: { kind: 'org', role: 'owner' },
    }),
    listRoute({
      ...lists,
      path: `${SCOPED}/audit`,
      operation: 'listProjectAudit',
      summary: 'List who did what in the project, newest first',
      access: ADMIN,
    }),
  ];
}

const viewEntry = (row: EntryRow) => ({
  id: row.entry_id,
  at: iso(row.at),
  principal:
    row.principal_id === ''
      ? null
      : { kind: row.principal_kind, id: row.principal_id, name: row.principal_name, token_id: row.token_id },
  action: row.action,
  subject: row.subject,
  detail: row.detail || undefined,
  request_id: row.request_id,
  ip: row.ip,
});
