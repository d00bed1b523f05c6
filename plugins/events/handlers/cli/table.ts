import {
  type Api,
  type Command,
  type Flag,
  inGroup,
  listCommand,
  NAME,
  resourceCommands,
  WORKFLOW_FLAGS,
} from '../../../../cli/contract.ts';
import { type HandlerView, formatActivity, SHOWN, workflowKind } from './view.ts';

const STARTS: Readonly<Record<string, Flag>> = {
  on: {
    type: 'string',
    value: '<patterns>',
    from: 'events types',
    many: true,
    summary: 'event types that start it: run.failed, run.*, *; separate several with commas',
  },
  when: { type: 'string', value: '<cel>', summary: 'CEL predicate over event; a run starts if the result is true' },
};

const LIMITS: Readonly<Record<string, Flag>> = {
  concurrency: {
    type: 'number',
    value: '<n>',
    least: 1,
    most: 16,
    summary: 'maximum number of its runs in flight; other deliveries wait in order',
  },
  'concurrency-key': {
    type: 'string',
    value: '<cel>',
    summary: 'CEL over event: --concurrency (default 1) applies to each value separately',
  },
  throttle: {
    type: 'string',
    value: '<n/period>',
    summary: 'start at most this many runs per period, like 10/1m; other deliveries wait',
  },
  'throttle-key': {
    type: 'string',
    value: '<cel>',
    summary: 'CEL over event: --throttle applies to each value separately',
  },
  'rate-limit': {
    type: 'string',
    value: '<n/period>',
    summary: 'accept at most this many events per period, and drop the others',
  },
  'rate-limit-key': {
    type: 'string',
    value: '<cel>',
    summary: 'CEL over event: --rate-limit applies to each value separately',
  },
  debounce: {
    type: 'string',
    value: '<duration>',
    summary: 'start one run for a burst of events, with its last event, once none has arrived for this long',
  },
  'debounce-max': {
    type: 'string',
    value: '<duration>',
    summary: 'start the run at the latest this long after the first event of a burst',
  },
  'debounce-key': {
    type: 'string',
    value: '<cel>',
    summary: 'CEL over event: events with different values belong to different bursts',
  },
  batch: {
    type: 'string',
    value: '<n/timeout>',
    summary: 'start one run for this many events, or for fewer after the timeout, like 100/10s',
  },
  'batch-key': {
    type: 'string',
    value: '<cel>',
    summary: 'CEL over event: events are batched separately for each value',
  },
  priority: {
    type: 'string',
    value: '<seconds|cel>',
    summary: 'waiting events are treated as if they had arrived this many seconds earlier (-600 to 600)',
  },
  retry: {
    type: 'number',
    value: '<n>',
    least: 1,
    most: 10,
    summary: 'run failed runs again, at most this many times',
  },
  backoff: {
    type: 'string',
    value: '<duration>',
    summary: 'delay before the first --retry (default 10s); it doubles with each retry',
  },
  'backoff-max': { type: 'string', value: '<duration>', summary: 'longest delay of a retry (default 1h)' },
};

export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<HandlerView>({
    noun: 'handler',
    path: '/handlers',
    columns: {
      name: 'name',
      on: ({ on }) => on.join(','),
      when: 'when',
      workflow: workflowKind,
      'last 24 h': formatActivity,
    },
    item_columns: SHOWN,
    set: {
      summary: 'create or replace a handler: a workflow that events start',
      description:
        'It runs a file, a stored graph (--graph) or a single node (--node and --config). A script finds the event in\n' +
        'the file $SVC_INPUT_FILE. In --when, check optional fields with has(): has(event.payload.sha). A script that\n' +
        'uses credentials does not run for untrusted events.',
      args: [NAME, { name: 'file', summary: 'the workflow; - reads standard input', optional: true }],
      flags: {
        ...STARTS,
        ...LIMITS,
        ...WORKFLOW_FLAGS,
      },
      examples: [
        ["svc handler set report report.sh --on 'run.succeeded,run.failed'", 'for each run that fails'],
        [
          'svc handler set docs docs.sh --on push --when "!event.paths_known || \'docs/index.md\' in event.paths"',
          'for pushes that change the documentation',
        ],
        [
          'svc handler set deploy deploy.py --on deploy.asked --when "event.payload.service == \'shop\'"',
          'only for events with certain content',
        ],
        [
          'svc handler set deploy deploy.sh --on deploy.asked --concurrency-key event.payload.service',
          'one deployment of each service at a time',
        ],
        [
          'svc handler set sync sync.sh --on contact.changed --throttle 10/1m --throttle-key event.payload.account',
          'at most ten starts a minute for each account; other events wait',
        ],
        [
          'svc handler set index index.sh --on page.saved --debounce 5s --debounce-max 1m',
          'one run for a burst of events',
        ],
        ['svc handler set load load.py --on row.added --batch 100/10s', 'one run for up to 100 events'],
      ],
      load: () => import('./set.ts'),
    },
    list: {
      summary: 'list the handlers, newest first, with their results from the last 24 hours',
      examples: [['svc handler ls --json', 'JSON for programs; includes the number of runs in flight']],
      note: ({ in_flight, queued }) =>
        Number(in_flight) > 0
          ? `${in_flight} ${Number(in_flight) === 1 ? 'handler run' : 'handler runs'} in flight, ${queued} queued`
          : undefined,
    },
    show: {
      summary: 'show a handler',
      flags: { source: { type: 'boolean', summary: 'print only its document, unchanged' } },
      examples: [['svc handler show report --source', 'the workflow that it runs']],
      load: () => import('./show.ts'),
    },
    remove: { summary: 'remove a handler; runs that it started continue' },
  }),
  {
    name: 'handler test',
    summary: 'show what a handler would do with an event, and why, without starting anything',
    description:
      'Use --event for a recorded event, or --payload for a sample event. For a sample event, it also shows the input of the\n' +
      "run. --type is optional if one of the handler's patterns is not a prefix.",
    args: [NAME],
    flags: {
      event: { type: 'string', value: '<id>', summary: 'the event; svc events ls lists them' },
      payload: {
        type: 'string',
        value: '<json>',
        summary: 'payload of a sample event; - reads standard input, @file a file',
      },
      type: { type: 'string', value: '<type>', summary: 'type of the sample event' },
      key: { type: 'string', value: '<subject>', summary: 'its subject' },
      untrusted: { type: 'boolean', summary: 'treat the sample event as untrusted' },
    },
    examples: [
      ['svc handler test report --event evt_01J…', 'shows whether the pattern matches and the predicate is true'],
      [
        'svc handler test receipt --payload \'{"total": 3}\' --type order.paid',
        'test it before the first event of that type',
      ],
    ],
    load: () => import('./test.ts'),
  },
  {
    name: 'handler init',
    summary: 'print an example script',
    description:
      'Without a file it prints the script. An existing file is not replaced. The first lines show how to register it.',
    args: [
      {
        name: 'language',
        summary: 'bash (default), python or typescript',
        choices: ['bash', 'python', 'typescript'],
        optional: true,
      },
      { name: 'file', summary: 'the file to write', optional: true },
    ],
    examples: [['svc handler init python on-event.py', 'a script in Python, in a file']],
    load: () => import('./init.ts'),
  },
  {
    name: 'events replay',
    summary: 'deliver recorded events again to their handlers',
    description:
      'With an event, starts one more run of --handler and prints its ID; exits with 1 if no run starts. Otherwise delivers\n' +
      'every matching event to each handler of its type, once and in the background, and prints the result. Runs have the\n' +
      "event's trust and generation. Predicates are evaluated again, unless --force is set.",
    args: [{ name: 'event-id', summary: 'the event, e.g. evt_01J…', optional: true }],
    flags: {
      handler: { type: 'string', value: '<name>', summary: 'the handler; one of its patterns must match the type' },
      type: {
        type: 'string',
        value: '<type>',
        from: 'events types',
        summary: 'events of this type; a prefix ends in *',
      },
      failed: {
        type: 'boolean',
        summary: 'only dead letters: deliveries that have failed permanently (svc dead-letter ls)',
      },
      since: { type: 'string', value: '<time>', summary: 'since a time (ISO 8601) or within a duration (`2h`)' },
      until: { type: 'string', value: '<time>', summary: 'before a time (ISO 8601), or before a duration ago' },
      limit: { type: 'number', least: 1, most: 10_000, summary: 'the maximum number of deliveries (default 1,000)' },
      'dry-run': { type: 'boolean', summary: 'only count the deliveries, and print the first 20' },
      'no-wait': { type: 'boolean', summary: 'do not wait; svc events replays shows the progress' },
      force: { type: 'boolean', summary: 'ignore the predicate' },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first replay' },
    },
    examples: [
      ['svc events replay evt_01J… --handler receipt', 'after you have fixed the handler'],
      ['svc events replay --type order.paid --since 2h --dry-run', 'how many deliveries it would make'],
      ['svc events replay --failed --handler receipt', 'all deliveries that have failed permanently'],
    ],
    load: () => import('./replay.ts'),
  },
  listCommand<Api.EventReplayView>({
    name: 'events replays',
    summary: 'list replays of many events, newest first',
    filters: {},
    examples: [['svc events replays', 'the running ones, and the last 100 that have ended']],
    path: '/event-replays',
    member: 'event_replays',
    columns: {
      replay: 'replay',
      state: 'state',
      selects: ({ type, handler, failed }) =>
        [failed && 'dead letters', type, handler && `to ${handler}`].filter(Boolean).join(' '),
      delivered: 'delivered',
      declined: 'declined',
      refused: 'refused',
      created: 'created_at',
    },
  }),
  {
    name: 'events replay-cancel',
    summary: 'cancel a replay of many events; runs that it has started continue',
    args: [{ name: 'replay-id', summary: 'the replay, e.g. rpl_01J…; svc events replays lists them' }],
    examples: [['svc events replay-cancel rpl_01J…', 'stop delivering']],
    load: () => import('./cancel-replay.ts'),
  },
  listCommand<Api.DeadLetterView>({
    name: 'dead-letter ls',
    summary: 'list deliveries to handlers that have failed permanently, newest first',
    description:
      'A delivery is a dead letter if its run failed, or if no run could start. It is removed from the list when it is\n' +
      'delivered again, its run is rerun, or you dismiss it.',
    filters: {
      handler: { type: 'string', value: '<name>', from: 'handler ls', summary: 'only of this handler' },
      type: { type: 'string', value: '<type>', from: 'events types', summary: 'only of events of this type' },
      since: { type: 'string', value: '<time>', summary: 'only since a time (ISO 8601) or within a duration (`2h`)' },
    },
    examples: [['svc dead-letter ls --handler receipt', 'the events for which receipt failed']],
    path: '/dead-letters',
    member: 'dead_letters',
    columns: {
      'dead letter': 'dead_letter',
      handler: 'handler',
      type: 'type',
      event: 'event',
      run: 'run_id',
      failed: 'failed_at',
      reason: ({ reason }) => reason.replaceAll(/\s+/g, ' '),
    },
  }),
  {
    name: 'dead-letter redeliver',
    summary: 'deliver the event of a dead letter again to its handler; prints the ID of the run',
    description: 'For several at once: svc events replay --failed. Exits with 1 if no run starts.',
    args: [{ name: 'dead-letter-id', summary: 'the dead letter, e.g. dlt_01J…; svc dead-letter ls lists them' }],
    flags: {
      force: { type: 'boolean', summary: 'ignore the predicate' },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first replay' },
    },
    examples: [['svc dead-letter redeliver dlt_01J…', 'after you have fixed the handler']],
    load: () => import('./redeliver.ts'),
  },
  {
    name: 'dead-letter dismiss',
    summary: 'remove dead letters from the list; their events and runs stay',
    args: [{ name: 'dead-letter-id', summary: 'the dead letter, e.g. dlt_01J…', optional: true }],
    flags: {
      handler: { type: 'string', value: '<name>', from: 'handler ls', summary: 'all of this handler' },
      type: { type: 'string', value: '<type>', from: 'events types', summary: 'all of events of this type' },
      before: { type: 'string', value: '<time>', summary: 'those before a time (ISO 8601), or before a duration ago' },
      all: { type: 'boolean', summary: 'all of the project' },
    },
    examples: [
      ['svc dead-letter dismiss dlt_01J…', 'one'],
      ['svc dead-letter dismiss --handler receipt --before 7d', 'the old ones of a handler'],
    ],
    load: () => import('./dismiss.ts'),
  },
]);
