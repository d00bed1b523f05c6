import { type Command, type Flag, inGroup, NAME, resourceCommands, WORKFLOW_FLAGS } from '../../../cli/contract.ts';
import { type HandlerView, latelyOf, SHOWN, workflowOf } from './view.ts';

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

/** Workflows that events start. */
export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<HandlerView>({
    noun: 'handler',
    path: '/handlers',
    columns: { name: 'name', on: ({ on }) => on.join(','), when: 'when', workflow: workflowOf, 'last 24 h': latelyOf },
    shows: SHOWN,
    set: {
      summary: 'create or replace a handler: a workflow that events start',
      about:
        'What runs is a file, a stored graph (--graph) or a single node (--node and --config). A script finds the event in\n' +
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
          'when a push touches the documentation',
        ],
        [
          'svc handler set deploy deploy.py --on deploy.asked --when "event.payload.service == \'shop\'"',
          'by the content of the event',
        ],
      ],
      load: () => import('./set.ts'),
    },
    list: {
      summary: 'list the handlers, newest first, with what they did in the last 24 hours',
      examples: [['svc handler ls --json', 'for programs, with how many of their runs are in flight']],
      note: ({ in_flight, queued }) =>
        Number(in_flight) > 0 ? `${in_flight} handler runs are in flight, ${queued} wait for a place` : undefined,
    },
    show: {
      summary: 'show a handler',
      flags: { source: { type: 'boolean', summary: 'only its document, as it is' } },
      examples: [['svc handler show report --source', 'what it runs']],
      load: () => import('./show.ts'),
    },
    remove: { summary: 'remove a handler; runs that it started continue' },
  }),
  {
    name: 'handler test',
    summary: 'show what a handler would do with an event, and why; starts nothing',
    about:
      'With --event an event on record, with --payload one that is made up. For a made-up one the input of the run is shown\n' +
      'too. --type may be left out if a pattern of the handler is no prefix.',
    args: [NAME],
    flags: {
      event: { type: 'string', value: '<id>', summary: 'the event; svc events ls lists them' },
      payload: {
        type: 'string',
        value: '<json>',
        summary: 'payload of a made-up event; - reads standard input, @file a file',
      },
      type: { type: 'string', value: '<type>', summary: 'type of the made-up event' },
      key: { type: 'string', value: '<subject>', summary: 'its subject' },
      untrusted: { type: 'boolean', summary: 'as if nobody vouched for it' },
    },
    examples: [
      ['svc handler test report --event evt_01J…', 'shows whether the pattern matches and the predicate is true'],
      ['svc handler test receipt --payload \'{"total": 3}\' --type order.paid', 'before there is such an event'],
    ],
    load: () => import('./test.ts'),
  },
  {
    name: 'handler init',
    summary: 'print an example script',
    about:
      'Without a file it prints the script; it does not replace an existing file. The first lines show how to register it.',
    args: [
      {
        name: 'language',
        summary: 'bash (default), python or typescript',
        choices: ['bash', 'python', 'typescript'],
        optional: true,
      },
      { name: 'file', summary: 'where to write it', optional: true },
    ],
    examples: [['svc handler init python on-event.py', 'a script in Python, in a file']],
    load: () => import('./init.ts'),
  },
  {
    name: 'events replay',
    summary: 'deliver a recorded event again to one handler; prints the id of the run',
    about:
      'The run is a further one, with the trust and the generation of the event. The predicate is judged again, unless --force\n' +
      'is given. Exits 1 when no run has started; svc events show lists every replay, and who asked for it.',
    args: [{ name: 'event-id', summary: 'the event, e.g. evt_01J…' }],
    flags: {
      handler: { type: 'string', value: '<name>', summary: 'the handler; one of its patterns must fit the type' },
      force: { type: 'boolean', summary: 'whatever the predicate says' },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first replay' },
    },
    examples: [['svc events replay evt_01J… --handler receipt', 'after the handler was corrected']],
    load: () => import('./replay.ts'),
  },
]);
