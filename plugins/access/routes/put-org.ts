import type { Route } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import { type Identity, orgRoleOf } from '../domain/identity.ts';
import { checkName } from '../domain/names.ts';
import { isUnlimited } from '../domain/roles.ts';
import type { Access } from '../service/access.ts';
import { isWithoutOrgs } from '../store/orgs.ts';
import { orgSchema } from './get-orgs.ts';
import { callerOf, emptyBody, iso } from './shapes.ts';

export const putOrg = (access: Access): Route => ({
  method: 'PUT',
  path: '/api/v1/orgs/:org',
  operation: 'putOrg',
  summary: 'Creates an org; the caller becomes its owner. Only owners of an org create further ones.',
  access: { kind: 'user' },
  body: emptyBody,
  responses: {
    200: { description: 'The caller is a member of it already; nothing changed.', schema: orgSchema },
    201: { description: 'Created.', schema: orgSchema },
  },
  async handle(request) {
    const name = checkName(request.params.org!, 'org');
    const identity = await callerOf(access, request);
    const known = await access.scopes.findOrg(name);
    const role = known && orgRoleOf(identity, known.org_id);
    if (!role) await requireCreator(access, identity);
    const org = await access.directory.putOrg(name, userOf(identity), auditSource(request));
    if (!org.made && !role && !(await isMember(access, request.principal!.token_id, org.org_id)))
      throw Errors.nameConflict(`the org name "${name}" is taken`);
    const json = { org: name, role: role ?? 'owner', created_at: iso(org.created_at) };
    return { status: org.made ? 201 : 200, json };
  },
});

const userOf = ({ principal }: Identity) => ({ user_id: principal.id, name: principal.name });

async function requireCreator({ models }: Access, identity: Identity): Promise<void> {
  if (!isUnlimited(identity.token.limits))
    throw Errors.forbidden('a limited token creates no org; use one without limits');
  if ([...identity.orgs.values()].some(({ role }) => role === 'owner') || (await isWithoutOrgs(models))) return;
  throw Errors.forbidden('this needs the role owner of some org');
}

/** Of two equal requests at once the second finds the org of the first. */
async function isMember({ identities }: Access, token_id: string, org_id: string): Promise<boolean> {
  return orgRoleOf(await identities.current(token_id), org_id) !== undefined;
}
