import {
  documentRoute,
  type HttpRequest,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { NamedRequest } from '../../platform/resources/contract.ts';
import type { PutView } from './generated/put-view.ts';
import deleteQuery from './schema/delete-view-query.schema.json' with { type: 'json' };
import put from './schema/put-view.schema.json' with { type: 'json' };
import view from './schema/view.schema.json' with { type: 'json' };
import type { SavedViews } from './service/saved-views.ts';

const PATH = `${SCOPED}/views`;
const ITEM_PATH = `${PATH}/:view`;

const toCall = (request: HttpRequest): NamedRequest => ({
  scope: request.scope,
  name: request.params.view ?? '',
  by: auditSource(request),
});

export const viewRoutes = (views: SavedViews): Route[] => [
  listRoute({
    path: PATH,
    operation: 'listViews',
    summary: 'List the views of the project and your private ones, newest first',
    description: 'A page of views.',
    access: VIEWER,
    plural: 'views',
    item: view,
    list: ({ scope, principal, query }) => views.list(scope, principal, readPage(query)),
  }),
  documentRoute({
    method: 'GET',
    path: ITEM_PATH,
    operation: 'getView',
    summary: 'Show your private view with a name, or the one of the project',
    access: VIEWER,
    responses: { 200: { description: 'The view.', schema: view } },
    handle: async (request) => ({ status: 200, json: await views.read(toCall(request)) }),
  }),
  {
    method: 'PUT',
    path: ITEM_PATH,
    operation: 'putView',
    summary: 'Save a filter of runs under a name',
    access: MEMBER,
    body: put,
    responses: { 200: { description: 'Replaced.', schema: view }, 201: { description: 'Created.', schema: view } },
    async handle(request) {
      const { made, view: json } = await views.set(toCall(request), request.body as PutView);
      return { status: made ? 201 : 200, json };
    },
  },
  {
    method: 'DELETE',
    path: ITEM_PATH,
    operation: 'deleteView',
    summary: 'Remove a view of the project, or your private one',
    access: MEMBER,
    query: deleteQuery,
    responses: { 204: { description: 'Removed.' } },
    async handle(request) {
      await views.remove(toCall(request), request.query.private === 'true');
      return { status: 204 };
    },
  },
];
