import { type Command, inGroup, NAME, resourceCommands } from '../../../../cli/contract.ts';
import { formatLast, formatNext, sourceOf, type TriggerView } from './view.ts';

export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<TriggerView>({
    noun: 'trigger',
    path: '/triggers',
    columns: {
      name: 'name',
      list: sourceOf,
      every: 'every',
      'next poll': formatNext,
      'last poll': formatLast,
    },
    item_columns: {
      trigger: 'name',
      list: sourceOf,
      credential: 'credential',
      every: 'every',
      from: 'from',
      with: ({ with: fields }) => formatValues(fields),
      input: ({ input }) => formatValues(input),
      'next poll': formatNext,
      cursor: 'cursor',
      polled: ({ last_poll }, output) => output.time(last_poll?.at),
      'last poll': formatLast,
      warning: ({ last_poll }) => last_poll?.warning,
      'set at': 'set_at',
    },
    set: {
      summary: "create or replace a trigger, which polls a connector's list and emits an event for each new item",
      description:
        'svc connector show prints the triggers of a connector. Replacing a trigger of the same list keeps its cursor, so no item\n' +
        'is lost or emitted twice.',
      args: [NAME],
      flags: {
        connector: { type: 'string', value: '<name>', from: 'connector ls', summary: 'the connector; required' },
        trigger: {
          type: 'string',
          value: '<name>',
          summary: 'the trigger of the connector; not needed if it has only one',
        },
        credential: { type: 'string', value: '<name>', summary: 'the credential or connected account for polling' },
        every: {
          type: 'string',
          value: '<duration>',
          summary: 'how often to poll; the default comes from the connector',
        },
        from: {
          type: 'string',
          choices: ['now', 'beginning'],
          summary: 'now (default): only later items; beginning: existing items too',
        },
        with: { type: 'string', value: '<json>', summary: 'the fields of the connector: \'{"shop": "a"}\'' },
        input: { type: 'string', value: '<json>', summary: 'the inputs of the trigger: \'{"status": "open"}\'' },
        paused: { type: 'boolean', summary: 'create it paused, until svc trigger resume' },
      },
      examples: [
        [
          'svc trigger set orders --connector shop --trigger new_orders --credential shop-bot --every 5m',
          'each new order becomes an event',
        ],
      ],
      load: () => import('./set.ts'),
    },
    list: { summary: 'list the triggers with their next and last polls' },
    show: { summary: 'show a trigger: its cursor, its last poll, and why it failed' },
    remove: { summary: 'remove a trigger, which then emits no more events' },
  }),
  {
    name: 'trigger run',
    summary: 'poll a trigger now',
    args: [NAME],
    examples: [['svc trigger run orders', 'does not wait for the result, which svc trigger show prints']],
    load: () => import('./poll.ts'),
  },
  {
    name: 'trigger pause',
    summary: 'stop polling until you resume the trigger',
    args: [NAME],
    examples: [['svc trigger pause orders', 'its cursor stays']],
    load: () => import('./pause.ts'),
  },
  {
    name: 'trigger resume',
    summary: 'resume a paused trigger; it continues from the same cursor',
    args: [NAME],
    examples: [['svc trigger resume orders', 'polls at once']],
    load: () => import('./resume.ts'),
  },
]);

/** Nothing for no values. */
const formatValues = (values: object): string | undefined =>
  Object.keys(values).length === 0 ? undefined : JSON.stringify(values);
