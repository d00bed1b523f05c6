import {
  ADMIN,
  type Access,
  type HttpRequest,
  listRoute,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { NamedRequest } from '../../platform/resources/contract.ts';
import type { PutVariable } from './generated/put-variable.ts';
import put from './schema/put-variable.schema.json' with { type: 'json' };
import variable from './schema/variable.schema.json' with { type: 'json' };
import type { Origin, VariableService } from './service/variable-service.ts';

/** Enough for 64 KiB, which JSON may escape to six times that, and for larger values so that their size is reported. */
const BODY_LIMIT = 1024 * 1024;

/** The routes are the same for projects and orgs, except for what this describes. */
interface Collection {
  origin: Origin;
  path: string;
  /** The part of operation ids before `Variable`. */
  prefix: string;
  read: Access;
  write: Access;
  list_summary: string;
  get_summary: string;
}

const COLLECTIONS: readonly Collection[] = [
  {
    origin: 'project',
    path: `${SCOPED}/vars`,
    prefix: '',
    read: VIEWER,
    write: ADMIN,
    list_summary: 'List the variables that runs of the project get, newest first: its own, and those of its org',
    get_summary: 'Show a variable of the project, or the one of its org',
  },
  {
    origin: 'org',
    path: '/api/v1/orgs/:org/vars',
    prefix: 'Org',
    read: { kind: 'org', role: 'member' },
    write: { kind: 'org', role: 'owner' },
    list_summary: 'List the variables of the org, newest first',
    get_summary: 'Show a variable of the org',
  },
];

const toCall = (request: HttpRequest): NamedRequest => ({
  scope: request.scope,
  name: request.params.variable ?? '',
  by: auditSource(request),
});

export const variableRoutes = (service: VariableService): Route[] =>
  COLLECTIONS.flatMap((collection) => routesOf(service, collection));

function routesOf(
  service: VariableService,
  { origin, path, prefix, read, write, list_summary, get_summary }: Collection,
): Route[] {
  const item_path = `${path}/:variable`;
  return [
    listRoute({
      path,
      operation: `list${prefix}Variables`,
      summary: list_summary,
      description: 'A page of variables.',
      access: read,
      plural: 'vars',
      item: variable,
      list: ({ scope, query }) => service.list(scope, origin, readPage(query)),
    }),
    {
      method: 'GET',
      path: item_path,
      operation: `get${prefix}Variable`,
      summary: get_summary,
      access: read,
      responses: { 200: { description: 'The variable.', schema: variable } },
      handle: async (request) => ({ status: 200, json: await service.read(toCall(request), origin) }),
    },
    {
      method: 'PUT',
      path: item_path,
      operation: `put${prefix}Variable`,
      summary: `Set a variable of the ${origin}`,
      access: write,
      body: put,
      body_limit: BODY_LIMIT,
      responses: {
        200: { description: 'Replaced.', schema: variable },
        201: { description: 'Created.', schema: variable },
      },
      async handle(request) {
        const { made, view } = await service.set(toCall(request), origin, request.body as PutVariable);
        return { status: made ? 201 : 200, json: view };
      },
    },
    {
      method: 'DELETE',
      path: item_path,
      operation: `delete${prefix}Variable`,
      summary: `Remove a variable of the ${origin}`,
      access: write,
      responses: { 204: { description: 'Removed.' } },
      async handle(request) {
        await service.remove(toCall(request), origin);
        return { status: 204 };
      },
    },
  ];
}
