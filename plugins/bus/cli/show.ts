import { type Api, labelled, type Output, type Run } from '../../../cli/contract.ts';

type ShownEvent = Api.ShownEvent;

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const event = await api.json<ShownEvent>({ path: api.scoped(`/events/${encodeURIComponent(args[0]!)}`) });
  output.data(event, () => describe(event, output));
  return undefined;
};

function describe(event: ShownEvent, output: Output): string {
  const from = event.source_name === '' ? event.source : `${event.source} ${event.source_name}`;
  const lines = labelled([
    ['event', event.event],
    ['type', event.type],
    ['key', event.key ?? '(no key: every wait for the type receives it)'],
    ['source', `${from}${event.trusted ? '' : ' (untrusted)'}`],
    ['generation', event.generation],
    ['recorded', output.time(event.recorded_at)],
    ...Object.entries(event.fields ?? {}).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ['payload', JSON.stringify(event.payload, null, 2)],
  ]);
  const rows = event.deliveries.map((one) => [one.reaction, one.name, one.state, one.reason ?? one.run_id ?? '']);
  const came =
    rows.length === 0 ? 'nothing reacted to it' : output.table(['reaction', 'name', 'state', 'what'], rows).trimEnd();
  const again = event.replays.map((one) => [
    `handler ${one.handler}`,
    `${one.state}${one.forced ? ' (forced)' : ''}`,
    `${output.time(one.at)} by ${one.by}`,
    one.reason ?? one.run_id ?? '',
  ]);
  const replays =
    again.length === 0 ? [] : ['', output.table(['replayed to', 'state', 'when', 'what'], again).trimEnd()];
  const more = event.more === undefined ? [] : [`and ${event.more} more waits and cancels`];
  return [lines, '', came, ...more, ...replays].join('\n');
}
