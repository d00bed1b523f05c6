import { formatItem, type Run } from '../../../../cli/contract.ts';
import { type HandlerView, SHOWN } from './view.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const handler = await api.json<HandlerView>({ path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}`) });
  output.data(handler, () => (flags.source ? toDocument(handler) : formatItem(SHOWN, handler, output)));
  return undefined;
};

/** The workflow as registered: a graph by its name, a node by its configuration. */
const toDocument = ({ source, graph, config }: HandlerView): string =>
  source?.replace(/\n$/, '') ?? graph ?? JSON.stringify(config ?? {}, null, 2);
