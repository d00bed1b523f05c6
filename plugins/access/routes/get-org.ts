import type { Route } from '../../../kernel/contracts/index.ts';
import { orgRoleOf } from '../domain/identity.ts';
import type { Access } from '../service/access.ts';
import { findOrgById } from '../store/orgs.ts';
import { orgSchema } from './get-orgs.ts';
import { callerOf, iso } from './shapes.ts';

export const getOrg = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org',
  operation: 'getOrg',
  summary: 'One org and the caller’s role in it.',
  access: { kind: 'org', role: 'member' },
  responses: { 200: { description: 'The org.', schema: orgSchema } },
  async handle(request) {
    const { org_id, org } = request.scope;
    const identity = await callerOf(access, request);
    const row = await findOrgById(access.database, org_id);
    return { status: 200, json: { org, role: orgRoleOf(identity, org_id), created_at: iso(row!.created_at) } };
  },
});
