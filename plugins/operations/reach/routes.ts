import { Errors, MEMBER, type Route, type Scope, SCOPED } from '../../../kernel/contracts/index.ts';
import { validateEventType } from '../../events/bus/contract.ts';
import querySchema from './schema/reach-query.schema.json' with { type: 'json' };
import reachSchema from './schema/reach.schema.json' with { type: 'json' };
import type { ImpactReader } from './service/impact-reader.ts';

const NODES = 1000;
const DEPTH = 32;

/** The collections of the API in which resources of a kind are, by kind. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  'event-hook': 'event-hooks',
  webhook: 'webhooks',
  trigger: 'triggers',
  schedule: 'schedules',
  handler: 'handlers',
  graph: 'graphs',
  secret: 'secrets',
  account: 'accounts',
  connector: 'connectors',
};

const linkIn =
  ({ org, project }: Scope) =>
  (kind: string, name: string): string | undefined => {
    const collection = COLLECTIONS[kind];
    if (collection === undefined || name.includes(' ')) return undefined;
    // A version of a graph is no resource of its own.
    const resource = encodeURIComponent(name.split('@')[0]!);
    return `/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}/${collection}/${resource}`;
  };

/** The names of secrets and credentials are for members. */
export const impactRoute = (reader: ImpactReader): Route => ({
  method: 'GET',
  path: `${SCOPED}/reach`,
  operation: 'getReach',
  summary: 'Show what an event of a type could start, wake and use, without running anything',
  access: MEMBER,
  query: querySchema,
  responses: { 200: { description: 'A graph that begins at the event.', schema: reachSchema } },
  async handle({ scope, query }) {
    const { type = '', trusted = 'false', nodes = NODES, depth = DEPTH } = query;
    const problem = validateEventType(type);
    if (problem !== undefined)
      throw Errors.invalidRequest(`type ${problem}`, { errors: [{ pointer: '/type', message: problem }] });
    const limits = { max_nodes: Number(nodes), max_depth: Number(depth) };
    const options = { type, trusted: trusted === 'true', ...limits, link: linkIn(scope) };
    return { status: 200, json: await reader.read(scope, options) };
  },
});
