import type { Api, Columns } from '../../../cli/contract.ts';

export type HandlerView = Api.HandlerView;

/** What it runs, in one word. */
export const runsOf = ({ kind, filename, graph, node }: HandlerView): string =>
  graph === undefined ? (node ?? filename ?? kind) : `graph ${graph}`;

const pairs = (given: Readonly<Record<string, string | undefined>> | undefined): string | undefined =>
  given &&
  Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

export const SHOWN: Columns<HandlerView> = {
  handler: 'name',
  on: 'on',
  when: 'when',
  runs: runsOf,
  kind: 'kind',
  interpreter: 'interpreter',
  arguments: ({ args }) => args && JSON.stringify(args),
  config: ({ config }) => config && JSON.stringify(config),
  env: ({ env }) => pairs(env),
  credentials: ({ credentials }) => pairs(credentials),
  tags: 'tags',
  requires: 'requires',
  'cancel on': 'cancel_on',
  'set at': 'set_at',
};
