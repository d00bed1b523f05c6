import {
  type AccessControl,
  ADMIN,
  callerOf,
  Errors,
  listRoute,
  MEMBER,
  type ProjectRole,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { ChangeApplied } from './generated/change-applied.ts';
import change from './schema/change-applied.schema.json' with { type: 'json' };
import changed from './schema/changed-applied.schema.json' with { type: 'json' };
import mark from './schema/applied-object.schema.json' with { type: 'json' };
import type { AppliedObjects } from './service/applied.ts';

/** The role that changes objects of a kind also applied them: nobody can have objects removed that they could not remove. */
const ROLES: Readonly<Record<string, ProjectRole>> = {
  graphs: 'member',
  handlers: 'member',
  schedules: 'member',
  triggers: 'member',
  'event-hooks': 'admin',
  webhooks: 'admin',
  'secret-stores': 'admin',
  members: 'admin',
  vars: 'admin',
};

const PATH = `${SCOPED}/applied`;

export const appliedRoutes = (applied: AppliedObjects, access: Pick<AccessControl, 'authorize'>): Route[] => [
  listRoute({
    path: PATH,
    operation: 'listApplied',
    summary: 'List what was applied from files, newest first',
    description: 'A page of applied objects.',
    access: VIEWER,
    plural: 'applied',
    item: mark,
    list: ({ scope, query }) => applied.list(scope, readPage(query)),
  }),
  {
    method: 'POST',
    path: `${PATH}/:kind`,
    operation: 'changeApplied',
    summary: 'Mark objects as applied from files',
    access: MEMBER,
    body: change,
    responses: { 200: { description: 'Marked. Kinds that only admins change need the role admin.', schema: changed } },
    async handle(request) {
      const { params, scope, body } = request;
      const kind = params.kind ?? '';
      if (!Object.hasOwn(ROLES, kind)) throw Errors.notFound(`no kind ${kind.slice(0, 64)} can be applied`);
      if (ROLES[kind] === 'admin') await access.authorize(callerOf(request), ADMIN, params);
      return { status: 200, json: await applied.change(scope, kind, body as ChangeApplied, auditSource(request)) };
    },
  },
];
