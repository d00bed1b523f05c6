import {
  type Access,
  documentRoute,
  type HttpReply,
  type HttpRequest,
  type JsonSchema,
  type Listed,
  listRoute,
  type Page,
  type ProjectRole,
  readPage,
  type Route,
  SCOPED,
  type Scope,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { NamedCall } from './audited-writes.ts';
import { canExist, checkName, type Noun, notFound, paramOf, spoken } from './names.ts';

/** The service behind the routes. Without `list` or `read` there is no such route. */
export interface ResourceService<Put> {
  list?(scope: Scope, page: Page): Promise<Listed>;
  read?(call: NamedCall): Promise<unknown>;
  set(call: NamedCall, body: Put): Promise<{ made: boolean; view: unknown }>;
  /** Answers the body of a 200; undefined gives 204. */
  remove(call: NamedCall): Promise<unknown>;
}

/** `POST …/notes/:note/rotate`, `GET …/notes/:note/uses`. */
export interface ResourceAction
  extends Pick<Route, 'method' | 'operation' | 'summary' | 'query' | 'body' | 'body_limit' | 'headers'> {
  /** The last part of the path. */
  path: string;
  role: 'read' | 'write';
  answer: { description: string; schema: JsonSchema };
  handle(call: NamedCall, request: HttpRequest): Promise<unknown>;
}

/** Texts of the OpenAPI document: summaries of the operations, and descriptions of their answers. */
interface Texts {
  list: string;
  listed: string;
  get: string;
  got: string;
  put: string;
  made: string;
  replaced: string;
  remove: string;
}

export interface NamedResource<Put> extends Noun {
  roles: { read: ProjectRole; write: ProjectRole };
  schemas: {
    put: JsonSchema;
    /** The answer of `GET`, of `PUT`, and each item of a list, unless the next two say otherwise. */
    item: JsonSchema;
    set?: JsonSchema;
    entry?: JsonSchema;
    /** Further members of a list. */
    list?: Readonly<Record<string, JsonSchema>>;
  };
  service: ResourceService<Put>;
  /** The 200 of `DELETE`, if there is one. */
  removed?: { description: string; schema: JsonSchema };
  /** Maximum bytes of the body of `PUT`. */
  body_limit?: number;
  texts?: Partial<Texts>;
  actions?: readonly ResourceAction[];
}

const GONE = { description: 'Removed.' };

const capital = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`;
const pascal = (noun: string) => noun.split('_').map(capital).join('');

function textsOf<Put>({ noun, plural, texts }: NamedResource<Put>): Texts {
  const one = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${spoken(noun)}`;
  return {
    list: `List the ${spoken(plural)}, newest first`,
    listed: `A page of ${spoken(plural)}.`,
    get: `Show ${one}`,
    got: `The ${spoken(noun)}.`,
    put: `Set ${one}`,
    made: 'Made.',
    replaced: 'Replaced.',
    remove: `Remove ${one}`,
    ...texts,
  };
}

/** What the routes of one resource share. */
interface Frame {
  all: string;
  one: string;
  /** `EventHook`, `EventHooks`: in the names of operations. */
  noun: string;
  nouns: string;
  texts: Texts;
  access(role: 'read' | 'write'): Access;
}

/** The routes of a named resource of projects: list, `GET`, `PUT`, `DELETE` and its actions. */
export function namedResource<Put>(resource: NamedResource<Put>): Route[] {
  const all = `${SCOPED}/${resource.plural.replaceAll('_', '-')}`;
  const frame: Frame = {
    all,
    one: `${all}/:${paramOf(resource)}`,
    noun: pascal(resource.noun),
    nouns: pascal(resource.plural),
    texts: textsOf(resource),
    access: (role) => ({ kind: 'project', role: resource.roles[role] }),
  };
  const { actions = [] } = resource;
  return [
    ...reads(resource, frame),
    ...writes(resource, frame),
    ...actions.map((action) => actionRoute(resource, frame, action)),
  ];
}

function reads<Put>(resource: NamedResource<Put>, { all, one, noun, nouns, texts, access }: Frame): Route[] {
  const { service, schemas, plural } = resource;
  const routes: Route[] = [];
  if (service.list)
    routes.push(
      listRoute({
        path: all,
        operation: `list${nouns}`,
        summary: texts.list,
        description: texts.listed,
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
        path: one,
        operation: `get${noun}`,
        summary: texts.get,
        access: access('read'),
        responses: { 200: { description: texts.got, schema: schemas.item } },
        handle: async (request) => ({ status: 200, json: await service.read!(present(resource, request)) }),
      }),
    );
  return routes;
}

function writes<Put>(resource: NamedResource<Put>, { one, noun, texts, access }: Frame): Route[] {
  const { service, schemas, body_limit, removed } = resource;
  const schema = schemas.set ?? schemas.item;
  return [
    {
      method: 'PUT',
      path: one,
      operation: `put${noun}`,
      summary: texts.put,
      access: access('write'),
      body: schemas.put,
      body_limit,
      responses: { 200: { description: texts.replaced, schema }, 201: { description: texts.made, schema } },
      async handle(request) {
        const call = callOf(resource, request);
        checkName(resource, call.name);
        const { made, view } = await service.set(call, request.body as Put);
        return { status: made ? 201 : 200, json: view };
      },
    },
    {
      method: 'DELETE',
      path: one,
      operation: `delete${noun}`,
      summary: texts.remove,
      access: access('write'),
      responses: removed ? { 200: removed, 204: GONE } : { 204: GONE },
      async handle(request): Promise<HttpReply> {
        const json = await service.remove(present(resource, request));
        return json === undefined ? { status: 204 } : { status: 200, json };
      },
    },
  ];
}

function actionRoute(kind: Noun, frame: Frame, { role, path, answer, handle, ...action }: ResourceAction): Route {
  const route: Route = {
    ...action,
    path: `${frame.one}/${path}`,
    access: frame.access(role),
    responses: { 200: answer },
    handle: async (request) => ({ status: 200, json: await handle(present(kind, request), request) }),
  };
  return action.method === 'GET' ? documentRoute(route) : route;
}

const callOf = (kind: Noun, request: HttpRequest): NamedCall => ({
  scope: request.scope,
  name: request.params[paramOf(kind)] ?? '',
  by: auditSource(request),
});

/** Throws `not_found` for a name that cannot exist. */
function present(kind: Noun, request: HttpRequest): NamedCall {
  const call = callOf(kind, request);
  if (!canExist(kind, call.name)) throw notFound(kind, call.name);
  return call;
}
