import type { Run } from '../../command.ts';
import { type HandlerView, runsOf } from './view.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const handler = await api.json<HandlerView>({ path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}`) });
  output.data(handler, () => (flags.source ? documentOf(handler) : describe(handler)));
  return undefined;
};

/** As it was given; of a graph its name, of a node its configuration. */
const documentOf = ({ source, graph, config }: HandlerView): string =>
  source?.replace(/\n$/, '') ?? graph ?? JSON.stringify(config ?? {}, null, 2);

const pairs = (given: Readonly<Record<string, string>> | undefined): string | undefined =>
  given &&
  Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** A line a fact, only those that there are. */
function describe(handler: HandlerView): string {
  const rows: [string, string | undefined][] = [
    ['handler', handler.name],
    ['on', handler.on.join(', ')],
    ['when', handler.when],
    ['runs', runsOf(handler)],
    ['kind', handler.kind],
    ['interpreter', handler.interpreter],
    ['config', handler.config && JSON.stringify(handler.config)],
    ['env', pairs(handler.env)],
    ['credentials', pairs(handler.credentials)],
    ['tags', handler.tags?.join(', ')],
    ['requires', handler.requires?.join(', ')],
    ['cancel on', handler.cancel_on?.join(', ')],
    ['set at', handler.set_at],
  ];
  return rows
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name.padEnd(11)} ${value}`)
    .join('\n');
}
