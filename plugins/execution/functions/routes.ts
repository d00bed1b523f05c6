import {
  ADMIN,
  type CachedReads,
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
import { auditSource } from '../../platform/audit/contract.ts';
import { withDefinitions } from '../../platform/schema/contract.ts';
import detailsSchema from './schema/function-details.schema.json' with { type: 'json' };
import functionSchema from './schema/function.schema.json' with { type: 'json' };
import registeredSchema from './schema/registered-functions.schema.json' with { type: 'json' };
import type { RegisteredFunctions } from './generated/registered-functions.ts';
import type { FunctionDirectory } from './service/directory.ts';

/** 60 workflows with schemas of at most 64 KiB. */
const BODY_LIMIT = 4 * 1024 * 1024;

const ITEM = `${SCOPED}/functions/:function`;

export const functionRoutes = (directory: FunctionDirectory, database: CachedReads): Route[] => [
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
      if (org_id === null) throw Errors.forbidden("a worker's token must belong to an org");
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
  {
    method: 'GET',
    path: ITEM,
    operation: 'getFunction',
    summary: 'Show a workflow that workers serve: its input, its versions, and what is waiting for a worker',
    access: VIEWER,
    responses: {
      200: {
        description: 'The workflow.',
        schema: withDefinitions(detailsSchema, { function: functionSchema }),
      },
    },
    async handle({ scope, params }) {
      return { status: 200, json: await directory.read(database, scope, params.function ?? '') };
    },
  },
  {
    method: 'DELETE',
    path: ITEM,
    operation: 'deleteFunction',
    summary: 'Remove a workflow that no worker serves and that has no open run',
    access: ADMIN,
    responses: { 204: { description: 'Removed.' } },
    async handle(request) {
      await directory.remove({ scope: request.scope, name: request.params.function ?? '', by: auditSource(request) });
      return { status: 204 };
    },
  },
];
