import { described, type Run } from '../../../cli/contract.ts';
import { type HandlerView, SHOWN } from './view.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const handler = await api.json<HandlerView>({ path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}`) });
  output.data(handler, () => (flags.source ? documentOf(handler) : described(SHOWN, handler, output)));
  return undefined;
};

/** As registered; for a graph its name, for a node its configuration. */
const documentOf = ({ source, graph, config }: HandlerView): string =>
  source?.replace(/\n$/, '') ?? graph ?? JSON.stringify(config ?? {}, null, 2);
