import {
  decodeCursor,
  encodeCursor,
  type HttpRequest,
  limitOf,
  listRoute,
  type Listed,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { type ConnectorManifest, type ConnectorManifests, connectorSchema } from '../manifests/contract.ts';
import { notFound } from '../resources/contract.ts';

const CONNECTOR = { noun: 'connector', plural: 'connectors' };
const PATH = `${SCOPED}/connectors`;

/** The connectors are those of the server: every project sees the same. */
export const connectorRoutes = (manifests: ConnectorManifests): Route[] => [
  listRoute({
    path: PATH,
    operation: 'listConnectors',
    summary: 'List the manifests of the connectors, by name',
    access: VIEWER,
    plural: CONNECTOR.plural,
    item: connectorSchema,
    description: 'A page of manifests.',
    list: async (request) => pageOf(manifests.all(), request),
  }),
  {
    method: 'GET',
    path: `${PATH}/:connector`,
    operation: 'getConnector',
    summary: 'Show the manifest of a connector',
    access: VIEWER,
    responses: { 200: { description: 'The manifest.', schema: connectorSchema } },
    async handle({ params }) {
      const { connector = '' } = params;
      const found = manifests.find(connector);
      if (found === undefined) throw notFound(CONNECTOR, connector);
      return { status: 200, json: found };
    },
  },
];

/** By name, because they have no ids; the cursor is the last name of the page before. */
function pageOf(all: readonly ConnectorManifest[], { query }: HttpRequest): Listed {
  const [after] = decodeCursor(query.cursor, 'text') ?? [''];
  const rest = all.filter(({ name }) => name > after);
  const items = rest.slice(0, limitOf(query));
  return { items, ...(items.length < rest.length ? { next_cursor: encodeCursor(items.at(-1)!.name) } : {}) };
}
