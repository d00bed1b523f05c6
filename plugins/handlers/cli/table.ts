import { type Command, type Flag, inGroup, NAME, resourceCommands, WORKFLOW_FLAGS } from '../../../cli/contract.ts';
import { type HandlerView, runsOf, SHOWN } from './view.ts';

const STARTS: Readonly<Record<string, Flag>> = {
  on: {
    type: 'string',
    value: '<patterns>',
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
    columns: { name: 'name', on: ({ on }) => on.join(','), when: 'when', runs: runsOf },
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
      summary: 'list the handlers, newest first',
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
    summary: 'show what a handler would do with a recorded event, and why; starts nothing',
    args: [NAME],
    flags: { event: { type: 'string', value: '<id>', summary: 'the event; svc events ls lists them' } },
    examples: [
      ['svc handler test report --event evt_01J…', 'shows whether the pattern matches and the predicate is true'],
    ],
    load: () => import('./test.ts'),
  },
  {
    name: 'handler init',
    summary: 'print an example script',
    about:
      'Without a file it prints the script; it does not replace an existing file. The first lines show how to register it.',
    args: [
      { name: 'language', summary: 'bash (default), python or typescript', optional: true },
      { name: 'file', summary: 'where to write it', optional: true },
    ],
    examples: [['svc handler init python on-event.py', 'a script in Python, in a file']],
    load: () => import('./init.ts'),
  },
]);
