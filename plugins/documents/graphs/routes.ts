import {
  decodeCursor,
  documentRoute,
  encodeCursor,
  type Expressions,
  type HttpRequest,
  type JsonSchema,
  limitOf,
  listRoute,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { type NamedRequest, namedResource, notFound, USER_NAMES } from '../../platform/resources/contract.ts';
import { withDefinitions } from '../../platform/schema/contract.ts';
import type { GraphNodeType } from './contract.ts';
import { GRAPH_NOUN } from './domain/names.ts';
import { editorRoutes } from './expression-routes.ts';
import type { GraphNodeTypeView } from './generated/graph-node-type.ts';
import type { PublishGraph } from './generated/publish-graph.ts';
import entry from './schema/graph-entry.schema.json' with { type: 'json' };
import nodeType from './schema/graph-node-type.schema.json' with { type: 'json' };
import query from './schema/graph-query.schema.json' with { type: 'json' };
import requirements from './schema/graph-requirements.schema.json' with { type: 'json' };
import version from './schema/graph-version.schema.json' with { type: 'json' };
import item from './schema/graph-view.schema.json' with { type: 'json' };
import document from './schema/graph.schema.json' with { type: 'json' };
import publish from './schema/publish-graph.schema.json' with { type: 'json' };
import published from './schema/published-graph.schema.json' with { type: 'json' };
import registered from './schema/registered.schema.json' with { type: 'json' };
import saved from './schema/saved-graph.schema.json' with { type: 'json' };
import type { Graphs } from './service/graphs.ts';
import type { Publishing } from './service/publishing.ts';
import type { Requirements } from './service/requirements.ts';

/** The service reports all errors of a document itself. This schema is for readers of the API document. */
const { $schema: _schema, $defs, ...graph } = document;
const BODY: JsonSchema = { title: 'GraphBody', anyOf: [graph, { type: 'object', additionalProperties: true }], $defs };

const ITEM = withDefinitions(item, { registered });

export interface GraphServices {
  graphs: Graphs;
  publishing: Publishing;
  requirements: Requirements;
  /** Resolved at the first request, because node types may need what is built from routes. */
  types(): readonly GraphNodeType[];
  expressions(): Expressions;
}

/** Routes for stored graphs, their versions, and their triggers. */
export function graphRoutes({ graphs, publishing, requirements: report, types, expressions }: GraphServices): Route[] {
  return [
    getRoute(graphs),
    versionsRoute(graphs),
    typesRoute(types),
    ...editorRoutes(expressions, report),
    ...namedResource({
      ...GRAPH_NOUN,
      roles: { read: 'viewer', write: 'member' },
      schemas: { put: BODY, item: ITEM, set: saved, entry },
      service: {
        list: (scope, page) => graphs.list(scope, page),
        set: (call, body) => graphs.set(call, body),
        remove: (call) => graphs.remove(call),
      },
      body_limit: 2 * 1024 * 1024,
      texts: { put: 'Save a graph', made: 'Saved as version 1.', replaced: 'Saved as a new version.' },
      actions: [
        {
          method: 'GET',
          path: 'requirements',
          operation: 'getGraphRequirements',
          summary: "Report whether a graph's requirements are met",
          role: 'read',
          query,
          answer: { description: 'The report, whether the graph is ready or not.', schema: requirements },
          handle: (call, { query }) => report.reportGraph(call, versionIn(query)),
        },
        {
          method: 'POST',
          path: 'publish',
          operation: 'publishGraph',
          summary: "Register a graph's triggers",
          role: 'write',
          body: publish,
          answer: {
            description: 'Published. The secret is shown only in this response.',
            schema: withDefinitions(published, { registered }),
          },
          handle: (call, { body }) => publishing.publish(call, (body as PublishGraph).version_number),
        },
        {
          method: 'POST',
          path: 'unpublish',
          operation: 'unpublishGraph',
          summary: "Unregister a graph's triggers",
          role: 'write',
          answer: { description: 'Afterwards, only a submission can start the graph.', schema: entry },
          handle: (call) => publishing.unpublish(call),
        },
      ],
    }),
  ];
}

const versionIn = (query: HttpRequest['query']): number | undefined =>
  query.version === undefined ? undefined : Number(query.version);

/** Throws `not_found` for a name that cannot exist. */
function toNamedRequest(request: HttpRequest): NamedRequest {
  const name = request.params.graph ?? '';
  if (USER_NAMES.validate(name) !== undefined) throw notFound(GRAPH_NOUN, name);
  return { scope: request.scope, name, by: auditSource(request) };
}

const getRoute = (graphs: Graphs): Route =>
  documentRoute({
    method: 'GET',
    path: `${SCOPED}/graphs/:graph`,
    operation: 'getGraph',
    summary: 'Show a graph, or one of its versions',
    access: VIEWER,
    query,
    responses: { 200: { description: 'The graph.', schema: ITEM } },
    handle: async (request) => ({
      status: 200,
      json: await graphs.read(toNamedRequest(request), versionIn(request.query)),
    }),
  });

const versionsRoute = (graphs: Graphs): Route =>
  listRoute({
    path: `${SCOPED}/graphs/:graph/versions`,
    operation: 'listGraphVersions',
    summary: "List a graph's versions, newest first",
    description: 'A page of versions.',
    access: VIEWER,
    plural: 'versions',
    item: version,
    list: (request) =>
      graphs.versions(toNamedRequest(request), {
        before: decodeCursor(request.query.cursor, 'number')?.[0],
        limit: limitOf(request.query),
      }),
  });

const typesRoute = (types: GraphServices['types']): Route =>
  listRoute({
    path: `${SCOPED}/node-types`,
    operation: 'listNodeTypes',
    summary: 'List the node types for graphs',
    description: 'A page of types, by name.',
    access: VIEWER,
    plural: 'node_types',
    item: nodeType,
    async list({ query }) {
      const after = decodeCursor(query.cursor, 'id')?.[0] ?? '';
      const remaining = types()
        .filter(({ type }) => type > after)
        .toSorted((a, b) => (a.type < b.type ? -1 : 1));
      const items = remaining.slice(0, limitOf(query)).map(typeView);
      return { items, next_cursor: items.length < remaining.length ? encodeCursor(items.at(-1)!.type) : undefined };
    },
  });

const typeView = ({ type, title, trigger = false, config, ...rest }: GraphNodeType): GraphNodeTypeView => {
  const { holes = [], predicates = [], expressions = [] } = rest;
  return {
    type,
    title,
    trigger,
    config: { ...config },
    holes: [...holes],
    predicates: [...predicates],
    expressions: [...expressions],
  };
};
