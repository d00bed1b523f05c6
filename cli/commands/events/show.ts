import type { Run } from '../../command.ts';

interface DeliveryView {
  reaction: string;
  name: string;
  state: string;
  reason?: string;
  run_id?: string;
}

interface ShownEvent {
  event: string;
  type: string;
  key: string | null;
  source: string;
  source_name: string;
  generation: number;
  trusted: boolean;
  recorded_at: string;
  payload: unknown;
  fields?: Record<string, unknown>;
  deliveries: DeliveryView[];
  more?: number;
}

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const event = await api.json<ShownEvent>({ path: api.scoped(`/events/${encodeURIComponent(args[0]!)}`) });
  output.data(event, () => describe(event, (rows) => output.table(['reaction', 'name', 'state', 'what'], rows)));
  return undefined;
};

function describe(event: ShownEvent, table: (rows: string[][]) => string): string {
  const from = event.source_name === '' ? event.source : `${event.source} ${event.source_name}`;
  const lines = [
    ['event', event.event],
    ['type', event.type],
    ['key', event.key ?? '(none: everybody hears it)'],
    ['from', `${from}${event.trusted ? '' : ' (untrusted)'}`],
    ['generation', String(event.generation)],
    ['recorded', event.recorded_at],
    ...Object.entries(event.fields ?? {}).map(([name, value]) => [name, JSON.stringify(value)]),
    ['payload', JSON.stringify(event.payload, null, 2)],
  ].map(([name, value]) => `${name!.padEnd(12)}${value}`);
  const rows = event.deliveries.map((one) => [one.reaction, one.name, one.state, one.reason ?? one.run_id ?? '']);
  const came = rows.length === 0 ? 'nothing listened to it' : table(rows).trimEnd();
  const more = event.more === undefined ? [] : [`and ${event.more} more waits and cancels`];
  return [...lines, '', came, ...more].join('\n');
}
