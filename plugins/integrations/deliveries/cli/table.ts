import { type Api, type Command, inGroup, listCommand, NAME } from '../../../../cli/contract.ts';

type Delivery = Api.DeliveryView;

const formatResult = ({ event, code }: Delivery): string | undefined => event ?? code;

function formatDetails({ old_secret, redelivery_of, redelivered_by, reason }: Delivery): string | undefined {
  const redelivery_text = redelivery_of && `${redelivery_of} redelivered by ${redelivered_by}`;
  return [redelivery_text, old_secret && 'with the old secret', reason].filter(Boolean).join('; ') || undefined;
}

/** The commands of one kind of address to which others deliver. */
const deliveryCommands = (noun: string, title: string, path: string, redeliver: Command['load']): Command[] => [
  listCommand<Delivery>({
    name: `${noun} deliveries`,
    summary: `list the deliveries to ${title}, newest first, including rejected ones`,
    description:
      'The events contain the bodies. If many deliveries are rejected, only some are listed, without their bodies.',
    args: [NAME],
    filters: {},
    examples: [[`svc ${noun} deliveries builds --limit 5`, 'the last five deliveries']],
    path: (api, { args }) => api.scoped(`${path}/${encodeURIComponent(args[0]!)}/deliveries`),
    member: 'deliveries',
    columns: {
      delivery: 'delivery',
      at: 'at',
      outcome: 'outcome',
      event: formatResult,
      type: 'event_type',
      details: formatDetails,
    },
  }),
  {
    name: `${noun} redeliver`,
    summary: 'record a delivery again, as a new event; prints its ID',
    description:
      "The new event has the original event's body, type and trust, and its envelope contains redelivery_of. It starts handlers\n" +
      'and ends waits like any other event.',
    args: [NAME, { name: 'delivery', summary: `the ID of the delivery, dlv_…, from svc ${noun} deliveries` }],
    flags: {
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first event' },
    },
    examples: [[`svc ${noun} redeliver builds dlv_01J…`, 'after you have fixed a handler']],
    load: redeliver,
  },
];

export const commands: readonly Command[] = inGroup('React', [
  ...deliveryCommands('event-hook', 'an event hook', '/event-hooks', () => import('./hook.ts')),
  ...deliveryCommands('webhook', 'a forge webhook', '/webhooks', () => import('./webhook.ts')),
]);
