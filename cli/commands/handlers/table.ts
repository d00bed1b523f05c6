import type { Argument, Command, Flag } from '../../command.ts';
import { WORKFLOW_FLAGS } from '../runs/table.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

const STARTS: Readonly<Record<string, Flag>> = {
  on: {
    type: 'string',
    value: '<patterns>',
    many: true,
    summary: 'types that start it: run.failed, run.*, *; several apart by commas',
  },
  when: { type: 'string', value: '<cel>', summary: 'predicate over event; a run starts when it is true' },
};

/** Workflows that events start. */
export const handlerCommands: readonly Command[] = [
  {
    name: 'handler set',
    summary: 'register a workflow that runs when an event comes, or replace it',
    about:
      'What runs is a file, a stored graph (--graph) or a single node (--node and --config). A script finds the event in\n' +
      'the file $SVC_INPUT_FILE. In --when, has() guards fields that may be absent: has(event.payload.sha). A script that\n' +
      'is given credentials does not serve events that are not trusted.',
    args: [NAME, { name: 'file', summary: 'the workflow; - reads standard input', optional: true }],
    flags: {
      ...STARTS,
      as: WORKFLOW_FLAGS.as!,
      interpreter: WORKFLOW_FLAGS.interpreter!,
      env: WORKFLOW_FLAGS.env!,
      graph: { type: 'string', value: '<name>', summary: 'a stored graph instead of a file' },
      node: { type: 'string', value: '<kind>', summary: 'a single node instead of a file' },
      config: { type: 'string', value: '<json>', summary: 'its configuration; - reads standard input' },
      tag: { type: 'string', value: '<t>', many: true, summary: 'tag of the runs; k:v tags make a map' },
      requires: { type: 'string', value: '<cap>', many: true, summary: 'capability that the agent must have' },
      credential: {
        type: 'string',
        value: 'ENV=name',
        many: true,
        summary: 'variable that gets the value of a credential; scripts only',
      },
      'cancel-on': {
        type: 'string',
        value: '<type>',
        many: true,
        summary: 'event type that cancels a run while it has not ended',
      },
    },
    examples: [
      ["svc handler set report report.sh --on 'run.succeeded,run.failed'", 'whenever a run has ended so'],
      [
        'svc handler set docs docs.sh --on push --when "!event.paths_known || \'docs/index.md\' in event.paths"',
        'when a push touches the documentation',
      ],
      [
        'svc handler set deploy deploy.py --on deploy.asked --when "event.payload.service == \'shop\'"',
        'by what the event says',
      ],
    ],
    load: () => import('./handler-set.ts'),
  },
  {
    name: 'handler ls',
    summary: 'list the handlers, newest first',
    args: [],
    flags: {},
    examples: [['svc handler ls --json', 'for programs, with how many of their runs are in flight']],
    load: () => import('./handler-ls.ts'),
  },
  {
    name: 'handler show',
    summary: 'show a handler',
    args: [NAME],
    flags: { source: { type: 'boolean', summary: 'only its document, as it is' } },
    examples: [['svc handler show report --source', 'what it runs']],
    load: () => import('./handler-show.ts'),
  },
  {
    name: 'handler rm',
    summary: 'remove a handler; runs that it started go on',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./handler-rm.ts'),
  },
  {
    name: 'handler test',
    summary: 'say what a recorded event would do for a handler, and why; starts nothing',
    args: [NAME],
    flags: { event: { type: 'string', value: '<id>', summary: 'the event; svc events ls lists them' } },
    examples: [['svc handler test report --event evt_01J…', 'does the pattern fit, is the predicate true']],
    load: () => import('./handler-test.ts'),
  },
  {
    name: 'handler init',
    summary: 'print a script to start from',
    about: 'Without a file it is printed; an existing file is not replaced. Its first lines say how to register it.',
    args: [
      { name: 'language', summary: 'bash (default), python or typescript', optional: true },
      { name: 'file', summary: 'where to write it', optional: true },
    ],
    flags: {},
    examples: [['svc handler init python on-event.py', 'a script in Python, in a file']],
    load: () => import('./handler-init.ts'),
  },
];
