import {
  callerOf,
  decodeCursor,
  Errors,
  limitOf,
  listRoute,
  pageOf,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import functionSchema from './schema/function.schema.json' with { type: 'json' };
import registeredSchema from './schema/registered-functions.schema.json' with { type: 'json' };
import type { RegisteredFunctions } from './generated/registered-functions.ts';
import type { FunctionDirectory } from './service/directory.ts';

/** 60 workflows with schemas of at most 64 KiB. */
const BODY_LIMIT = 4 * 1024 * 1024;

export const functionRoutes = (directory: FunctionDirectory): Route[] => [
  {
    method: 'PUT',
    path: '/api/v1/agents/functions',
    operation: 'registerFunctions',
    summary: 'Register the workflows that this worker serves',
    access: { kind: 'agent' },
    body: registeredSchema,
    body_limit: BODY_LIMIT,
    responses: { 204: { description: 'Registered.' } },
    async handle(request) {
      const { org_id, project_id } = callerOf(request);
      if (org_id === null) throw Errors.forbidden('the token of a worker belongs to an org');
      const { functions } = request.body as RegisteredFunctions;
      await directory.register({ org_id, project_id: project_id ?? '' }, functions);
      return { status: 204 };
    },
  },
  listRoute({
    path: `${SCOPED}/functions`,
    operation: 'listFunctions',
    summary: 'List the workflows that workers serve, with their versions',
    access: VIEWER,
    plural: 'functions',
    item: functionSchema,
    description: 'Workflows in alphabetical order.',
    async list(request) {
      const limit = limitOf(request.query);
      const [name, version] = decodeCursor(request.query.cursor, 'text', 'text') ?? [];
      const after = name === undefined || version === undefined ? undefined : { name, version };
      return pageOf(await directory.list(request.scope, after, limit), limit, (one) => [one.name, one.version]);
    },
  }),
];
