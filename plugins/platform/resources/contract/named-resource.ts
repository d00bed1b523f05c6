import {
  type Access,
  documentRoute,
  type HttpReply,
  type HttpRequest,
  type JsonSchema,
  type ListResult,
  listRoute,
  type Page,
  type ProjectRole,
  readPage,
  type Route,
  SCOPED,
  type Scope,
} from '../../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { NamedRequest } from './audited-writes.ts';
import { canExist, checkName, type ResourceType, notFound, paramOf, displayName } from './names.ts';

/** The service behind the routes. Without `list` or `read`, there is no such route. */
export interface ResourceService<Put> {
  list?(scope: Scope, page: Page): Promise<ListResult>;
  read?(call: NamedRequest): Promise<unknown>;
  set(call: NamedRequest, body: Put): Promise<{ made: boolean; view: unknown }>;
  /** Returns the body of a 200 answer; undefined makes it a 204. */
  remove(call: NamedRequest): Promise<unknown>;
}

/** An additional route of one item, such as `POST …/notes/:note/rotate` or `GET …/notes/:note/uses`. */
export interface ResourceAction
  extends Pick<Route, 'method' | 'operation' | 'summary' | 'query' | 'body' | 'body_limit' | 'headers'> {
  /** The last segment of the path. */
  path: string;
  role: 'read' | 'write';
  answer: { description: string; schema: JsonSchema };
  handle(call: NamedRequest, request: HttpRequest): Promise<unknown>;
}

/** The texts of the OpenAPI document: summaries of the operations and descriptions of their answers. */
interface Texts {
  list: string;
  list_answer: string;
  get: string;
  received_text: string;
  put: string;
  made: string;
  replaced: string;
  remove: string;
}

export interface NamedResource<Put> extends ResourceType {
  roles: { read: ProjectRole; write: ProjectRole };
  schemas: {
    put: JsonSchema;
    /** The answer of `GET` and `PUT` and each item of a list, unless `set` or `entry` says otherwise. */
    item: JsonSchema;
    set?: JsonSchema;
    entry?: JsonSchema;
    /** Additional members of a list. */
    list?: Readonly<Record<string, JsonSchema>>;
  };
  service: ResourceService<Put>;
  /** The 200 answer of `DELETE`, if there is one. */
  removed?: { description: string; schema: JsonSchema };
  /** The maximum bytes of the body of `PUT`. */
  body_limit?: number;
  texts?: Partial<Texts>;
  actions?: readonly ResourceAction[];
}

const REMOVED_RESPONSE = { description: 'Removed.' };

const capital = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`;
const pascal = (noun: string) => noun.split('_').map(capital).join('');

function textsOf<Put>({ noun, plural, texts }: NamedResource<Put>): Texts {
  const phrase = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${displayName(noun)}`;
  return {
    list: `List the ${displayName(plural)}, newest first`,
    list_answer: `A page of ${displayName(plural)}.`,
    get: `Show ${phrase}`,
    received_text: `The ${displayName(noun)}.`,
    put: `Set ${phrase}`,
    made: 'Created.',
    replaced: 'Replaced.',
    remove: `Remove ${phrase}`,
    ...texts,
  };
}

/** What all routes of one resource share. */
interface ResourceRoutes {
  list_path: string;
  item_path: string;
  /** The name in operation ids: `EventHook`, and `EventHooks` below. */
  noun: string;
  nouns: string;
  texts: Texts;
  access(role: 'read' | 'write'): Access;
}

/** Makes the routes of a named resource of projects: list, `GET`, `PUT`, `DELETE` and its actions. */
export function namedResource<Put>(resource: NamedResource<Put>): Route[] {
  const all = `${SCOPED}/${resource.plural.replaceAll('_', '-')}`;
  const shared: ResourceRoutes = {
    list_path: all,
    item_path: `${all}/:${paramOf(resource)}`,
    noun: pascal(resource.noun),
    nouns: pascal(resource.plural),
    texts: textsOf(resource),
    access: (role) => ({ kind: 'project', role: resource.roles[role] }),
  };
  const { actions = [] } = resource;
  return [
    ...readRoutes(resource, shared),
    ...writeRoutes(resource, shared),
    ...actions.map((action) => actionRoute(resource, shared, action)),
  ];
}

function readRoutes<Put>(
  resource: NamedResource<Put>,
  { list_path, item_path, noun, nouns, texts, access }: ResourceRoutes,
): Route[] {
  const { service, schemas, plural } = resource;
  const routes: Route[] = [];
  if (service.list)
    routes.push(
      listRoute({
        path: list_path,
        operation: `list${nouns}`,
        summary: texts.list,
        description: texts.list_answer,
        access: access('read'),
        plural,
        item: schemas.entry ?? schemas.item,
        members: schemas.list,
        list: ({ scope, query }) => service.list!(scope, readPage(query)),
      }),
    );
  if (service.read)
    routes.push(
      documentRoute({
        method: 'GET',
        path: item_path,
        operation: `get${noun}`,
        summary: texts.get,
        access: access('read'),
        responses: { 200: { description: texts.received_text, schema: schemas.item } },
        handle: async (request) => ({ status: 200, json: await service.read!(existingRequest(resource, request)) }),
      }),
    );
  return routes;
}

function writeRoutes<Put>(resource: NamedResource<Put>, { item_path, noun, texts, access }: ResourceRoutes): Route[] {
  const { service, schemas, body_limit, removed } = resource;
  const schema = schemas.set ?? schemas.item;
  return [
    {
      method: 'PUT',
      path: item_path,
      operation: `put${noun}`,
      summary: texts.put,
      access: access('write'),
      body: schemas.put,
      body_limit,
      responses: { 200: { description: texts.replaced, schema }, 201: { description: texts.made, schema } },
      async handle(request) {
        const call = toNamedRequest(resource, request);
        checkName(resource, call.name);
        const { made, view } = await service.set(call, request.body as Put);
        return { status: made ? 201 : 200, json: view };
      },
    },
    {
      method: 'DELETE',
      path: item_path,
      operation: `delete${noun}`,
      summary: texts.remove,
      access: access('write'),
      responses: removed ? { 200: removed, 204: REMOVED_RESPONSE } : { 204: REMOVED_RESPONSE },
      async handle(request): Promise<HttpReply> {
        const json = await service.remove(existingRequest(resource, request));
        return json === undefined ? { status: 204 } : { status: 200, json };
      },
    },
  ];
}

function actionRoute(
  kind: ResourceType,
  shared: ResourceRoutes,
  { role, path, answer, handle, ...action }: ResourceAction,
): Route {
  const route: Route = {
    ...action,
    path: `${shared.item_path}/${path}`,
    access: shared.access(role),
    responses: { 200: answer },
    handle: async (request) => ({ status: 200, json: await handle(existingRequest(kind, request), request) }),
  };
  return action.method === 'GET' ? documentRoute(route) : route;
}

const toNamedRequest = (kind: ResourceType, request: HttpRequest): NamedRequest => ({
  scope: request.scope,
  name: request.params[paramOf(kind)] ?? '',
  by: auditSource(request),
});

/** Reads the request for an existing resource. Throws `not_found` for a name that cannot exist. */
function existingRequest(kind: ResourceType, request: HttpRequest): NamedRequest {
  const call = toNamedRequest(kind, request);
  if (!canExist(kind, call.name)) throw notFound(kind, call.name);
  return call;
}
