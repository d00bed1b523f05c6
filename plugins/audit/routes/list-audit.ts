import type { Clock, Database, HttpReply, HttpRequest, Route } from '../../../kernel/contracts/index.ts';
import { auditQuery, cursorOf, parseFilter } from '../domain/filter.ts';
import { listEntries } from '../store/entries.ts';
import { auditListSchema, viewEntry } from './view-entry.ts';

export interface AuditParts {
  database: Database;
  clock: Clock;
}

const answers = { 200: { description: 'A page of entries.', schema: auditListSchema } };

/** `GET {scoped}/audit`: what was done in a project. */
export const listProjectAuditRoute = (parts: AuditParts): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects/:project/audit',
  operation: 'listProjectAudit',
  summary: 'Who did what in the project, newest first',
  access: { kind: 'project', role: 'admin' },
  query: auditQuery,
  responses: answers,
  handle: (request) => page(parts, request),
});

/** `GET /api/v1/orgs/{org}/audit`: what was done to the org itself: members, projects, tokens. */
export const listOrgAuditRoute = (parts: AuditParts): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/audit',
  operation: 'listOrgAudit',
  summary: 'Who did what to the org itself, newest first',
  access: { kind: 'org', role: 'owner' },
  query: auditQuery,
  responses: answers,
  handle: (request) => page(parts, request),
});

/** An org's own entries have no project, as its scope has none. */
async function page({ database, clock }: AuditParts, { scope, query }: HttpRequest): Promise<HttpReply> {
  const { org_id, project_id } = scope;
  const filter = parseFilter(query, clock.now());
  const rows = await listEntries(database, { org_id, project_id, ...filter });
  const entries = rows.slice(0, filter.limit);
  const more = rows.length > filter.limit ? { next_cursor: cursorOf(entries.at(-1)!) } : {};
  return { status: 200, json: { entries: entries.map(viewEntry), ...more } };
}
