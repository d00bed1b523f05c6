import { type Command, type Flag, inGroup, NAME, resourceCommands, WORKFLOW_FLAGS } from '../../../../cli/contract.ts';
import { type HandlerView, formatActivity, SHOWN, workflowKind } from './view.ts';

const STARTS: Readonly<Record<string, Flag>> = {
  on: {
    type: 'string',
    value: '<patterns>',
    from: 'events types',
    many: true,
    summary: 'event types that start it: run.failed, run.*, *; separate several with commas',
  },
  when: { type: 'string', value: '<cel>', summary: 'CEL predicate over event; a run starts if it is true' },
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
        ...WORKFLOW_FLAGS,
      },
      examples: [
        ["svc handler set report report.sh --on 'run.succeeded,run.failed'", 'for each run that ends with this status'],
        [
          'svc handler set docs docs.sh --on push --when "!event.paths_known || \'docs/index.md\' in event.paths"',
          'when a push changes the documentation',
        ],
        [
          'svc handler set deploy deploy.py --on deploy.asked --when "event.payload.service == \'shop\'"',
          'depending on the content of the event',
        ],
      ],
      load: () => import('./set.ts'),
    },
    list: {
      summary: 'list the handlers, newest first, with their results from the last 24 hours',
      examples: [['svc handler ls --json', 'for programs; includes the number of runs in flight']],
      note: ({ in_flight, queued }) =>
        Number(in_flight) > 0
          ? `${in_flight} ${Number(in_flight) === 1 ? 'handler run' : 'handler runs'} in flight, ${queued} queued`
          : undefined,
    },
    show: {
      summary: 'show a handler',
      flags: { source: { type: 'boolean', summary: 'only its document, unchanged' } },
      examples: [['svc handler show report --source', 'the workflow that it runs']],
      load: () => import('./show.ts'),
    },
    remove: { summary: 'remove a handler; runs that it started continue' },
  }),
  {
    name: 'handler test',
    summary: 'show what a handler would do with an event, and why, without starting anything',
    description:
      'With --event it tests a recorded event, with --payload a sample event. For a sample event it also shows the input of\n' +
      "the run. --type is optional if one of the handler's patterns is not a prefix.",
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
      untrusted: { type: 'boolean', summary: 'as an untrusted event' },
    },
    examples: [
      ['svc handler test report --event evt_01J…', 'shows whether the pattern matches and the predicate is true'],
      ['svc handler test receipt --payload \'{"total": 3}\' --type order.paid', 'test it before the first such event'],
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
    summary: 'deliver a recorded event again to one handler; prints the ID of the run',
    description:
      "Starts another run with the event's trust and generation. The predicate is evaluated again, unless --force\n" +
      'is set. Exits with 1 if no run has started; svc events show lists every replay, and who requested it.',
    args: [{ name: 'event-id', summary: 'the event, e.g. evt_01J…' }],
    flags: {
      handler: { type: 'string', value: '<name>', summary: 'the handler; one of its patterns must match the type' },
      force: { type: 'boolean', summary: 'ignore the predicate' },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first replay' },
    },
    examples: [['svc events replay evt_01J… --handler receipt', 'after you have corrected the handler']],
    load: () => import('./replay.ts'),
  },
]);
