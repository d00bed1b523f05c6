import { type Api, formatLabels, type Output, type Run } from '../../../../cli/contract.ts';

type ShownEvent = Api.ShownEvent;

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const event = await api.json<ShownEvent>({ path: api.scoped(`/events/${encodeURIComponent(args[0]!)}`) });
  output.data(event, () => describe(event, output));
  return undefined;
};

function describe(event: ShownEvent, output: Output): string {
  const source = event.source_name === '' ? event.source : `${event.source} ${event.source_name}`;
  const lines = formatLabels([
    ['event', event.event],
    ['type', event.type],
    ['key', event.key ?? '(no key: every wait for the type receives it)'],
    ['source', `${source}${event.trusted ? '' : ' (untrusted)'}`],
    ['generation', event.generation],
    ['recorded', output.time(event.recorded_at)],
    ...Object.entries(event.fields ?? {}).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ['payload', JSON.stringify(event.payload, null, 2)],
  ]);
  const rows = event.deliveries.map((delivery) => [
    delivery.reaction,
    delivery.name,
    delivery.state,
    delivery.waits ? describeWait(delivery.waits, output) : (delivery.reason ?? delivery.run_id ?? ''),
  ]);
  const reasons = event.deliveries.flatMap(({ name, waits, reason }) =>
    waits && reason ? [`${name}: ${reason}`] : [],
  );
  const reactions =
    rows.length === 0 ? 'nothing reacted to it' : output.table(['reaction', 'name', 'state', 'what'], rows).trimEnd();
  const replayRows = event.replays.map((replay) => [
    `handler ${replay.handler}`,
    `${replay.state}${replay.forced ? ' (forced)' : ''}`,
    `${output.time(replay.at)} by ${replay.by}`,
    replay.reason ?? replay.run_id ?? '',
  ]);
  const replays =
    replayRows.length === 0 ? [] : ['', output.table(['replayed to', 'state', 'when', 'what'], replayRows).trimEnd()];
  const unlisted = event.more === undefined ? [] : [`and ${event.more} more waits and cancellations`];
  return [lines, '', reactions, ...reasons, ...unlisted, ...replays].join('\n');
}

/** Such as `waits for its throttle until 12:30:01, with 3 others`. */
function describeWait(waits: NonNullable<ShownEvent['deliveries'][number]['waits']>, output: Output): string {
  const until = waits.until === undefined ? '' : ` until ${output.time(waits.until)}`;
  const others = waits.others === 0 ? '' : `, with ${waits.others} ${waits.others === 1 ? 'other' : 'others'}`;
  return `waits for its ${waits.for}${until}${others}`;
}
