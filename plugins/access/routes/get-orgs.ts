import { type Route, pageOf, pageQuery, readPage } from '../../../kernel/contracts/index.ts';
import { orgRoleOf } from '../domain/identity.ts';
import type { Access } from '../service/access.ts';
import { listOrgs } from '../store/orgs.ts';
import { callerOf, iso, listOf, name, object, orgRole, time } from './shapes.ts';

export const orgSchema = object({ org: name, role: orgRole, created_at: time });

export const getOrgs = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/orgs',
  operation: 'listOrgs',
  summary: 'The orgs that the caller is a member of, newest first.',
  access: { kind: 'user' },
  query: pageQuery,
  responses: { 200: { description: 'Orgs.', schema: listOf('orgs', orgSchema) } },
  async handle(request) {
    const identity = await callerOf(access, request);
    const page = readPage(request.query);
    const reachable = [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id));
    const rows = await listOrgs(access.models, reachable, page);
    const { items, ...rest } = pageOf(rows, page.limit, (row) => row.org_id);
    const orgs = items.map((row) => ({
      org: row.name,
      role: orgRoleOf(identity, row.org_id),
      created_at: iso(row.created_at),
    }));
    return { status: 200, json: { orgs, ...rest } };
  },
});
