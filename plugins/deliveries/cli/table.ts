import { type Api, type Command, inGroup, listCommand, NAME } from '../../../cli/contract.ts';

type Delivery = Api.DeliveryView;

const became = ({ event, code }: Delivery): string | undefined => event ?? code;

function whatElse({ old_secret, redelivery_of, redelivered_by, reason }: Delivery): string | undefined {
  const again = redelivery_of && `${redelivery_of} again, by ${redelivered_by}`;
  return [again, old_secret && 'by the old secret', reason].filter(Boolean).join('; ') || undefined;
}

/** The commands of one kind of address to which others deliver. */
const commandsOf = (noun: string, title: string, path: string, redeliver: Command['load']): Command[] => [
  listCommand<Delivery>({
    name: `${noun} deliveries`,
    summary: `list what was delivered to ${title}, newest first, refused ones too`,
    about: 'Bodies are with the events. Of many refused deliveries some are kept, without what they brought.',
    args: [NAME],
    filters: {},
    examples: [[`svc ${noun} deliveries builds --limit 5`, 'the last five']],
    path: (api, { args }) => api.scoped(`${path}/${encodeURIComponent(args[0]!)}/deliveries`),
    member: 'deliveries',
    columns: {
      delivery: 'delivery',
      at: 'at',
      outcome: 'outcome',
      event: became,
      type: 'event_type',
      what: whatElse,
    },
  }),
  {
    name: `${noun} redeliver`,
    summary: 'record what a delivery brought again, as a new event; prints its id',
    about:
      'The event has the body, the type and the trust of the first one, and its envelope has redelivery_of. It starts handlers\n' +
      'and ends waits as any other does.',
    args: [NAME, { name: 'delivery', summary: `its id, dlv_…, as svc ${noun} deliveries lists it` }],
    flags: {
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first event' },
    },
    examples: [[`svc ${noun} redeliver builds dlv_01J…`, 'after a handler was corrected']],
    load: redeliver,
  },
];

export const commands: readonly Command[] = inGroup('React', [
  ...commandsOf('event-hook', 'an event hook', '/event-hooks', () => import('./hook.ts')),
  ...commandsOf('webhook', 'a webhook of a forge', '/webhooks', () => import('./webhook.ts')),
]);
