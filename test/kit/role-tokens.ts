import {
  type AccessControl,
  Errors,
  type OrgRole,
  type ProjectRole,
  type Scope,
} from '../../kernel/contracts/index.ts';

/** The project of the stand-in, and another one of the same org. */
export const SCOPE: Scope = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
export const OTHER: Scope = { ...SCOPE, project_id: 'prj_2', project: 'other' };

const PROJECT_ROLES: readonly ProjectRole[] = ['viewer', 'member', 'admin'];
const ROLES: readonly string[] = [...PROJECT_ROLES, 'owner', 'agent'];

const rank = (name: string) => (name === 'owner' ? PROJECT_ROLES.length : PROJECT_ROLES.indexOf(name as ProjectRole));
const orgRole = (name: string): OrgRole => (name === 'owner' ? 'owner' : 'member');

/** Stands in for plugin access: the token is the name of the role (`Authorization: Bearer member`). */
export const roleTokens: AccessControl = {
  async authenticate(authorization) {
    const name = authorization?.replace('Bearer ', '') ?? '';
    if (!ROLES.includes(name)) throw Errors.notAuthenticated('no such token');
    const kind = name === 'agent' ? ('agent' as const) : ('user' as const);
    return { kind, id: `usr_${name}`, name, token_id: 'tok_1', org_id: kind === 'agent' ? SCOPE.org_id : null };
  },
  async authorize({ kind, name }, access, params) {
    const scope = [SCOPE, OTHER].find(({ project }) => project === (params.project ?? SCOPE.project));
    if ((params.org ?? SCOPE.org) !== SCOPE.org || !scope) throw Errors.notFound('no such project');
    if ((access.kind === 'agent') !== (kind === 'agent')) throw Errors.forbidden('the token is of another kind');
    if (access.kind === 'project' && rank(name) < rank(access.role)) throw Errors.forbidden('the role is too low');
    if (access.kind === 'org' && access.role === 'owner' && orgRole(name) !== 'owner')
      throw Errors.forbidden('only an owner may');
    return scope;
  },
};
