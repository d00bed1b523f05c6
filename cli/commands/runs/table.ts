import type { Argument, Command, Flag } from '../../command.ts';

const RUN: Argument = { name: 'run-id', summary: 'the run, e.g. run_01J…' };
const FILE: Argument = { name: 'file', summary: 'the workflow; - reads standard input' };

export const WORKFLOW_FLAGS: Readonly<Record<string, Flag>> = {
  as: {
    type: 'string',
    choices: ['script', 'pipeline', 'yaml', 'graph'],
    summary: 'kind of workflow (default: by file)',
  },
  interpreter: { type: 'string', value: '<cmd>', summary: 'runs the script instead of the one its ending names' },
  env: { type: 'string', value: 'K=V', many: true, summary: 'variable of the workflow' },
  input: { type: 'string', value: '<json>', summary: 'input, handed over in $SVC_INPUT_FILE; - reads standard input' },
};

const PAGE: Readonly<Record<string, Flag>> = {
  limit: { type: 'number', least: 1, most: 200, summary: 'how many at most (default 50)' },
  cursor: { type: 'string', summary: 'where the page before ended' },
};

const STATE_FLAGS: Readonly<Record<string, Flag>> = {
  entity: { type: 'string', value: '<name>', summary: 'the project-wide entity that holds the cell' },
};

/** Workflows and runs. */
export const runCommands: readonly Command[] = [
  {
    name: 'submit',
    summary: 'submit a workflow to the server',
    about:
      'Prints the run id. With --follow it stays, shows the log as it is written (standard output and standard\n' +
      'error of the script go to ours) and exits 0 when the run succeeded and 1 when it did not.',
    args: [FILE],
    flags: {
      ...WORKFLOW_FLAGS,
      tag: { type: 'string', value: '<t>', many: true, summary: 'tag; k:v tags make a map' },
      subject: { type: 'string', value: '<key>', summary: 'subject that events are matched with' },
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
        summary: 'event type that cancels the run while it has not ended',
      },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeat answers the first run' },
      follow: { type: 'boolean', short: 'f', summary: 'stay until the run ends' },
    },
    examples: [
      ['svc submit deploy.sh --follow', 'run a script and watch it'],
      ['svc submit deploy.sh --credential GH_TOKEN=bot', 'with a credential; the value is put in place by the service'],
      [
        'svc submit etl.py --tag team:data --idempotency-key nightly-2026-11-21',
        'submit once, however often this is called',
      ],
    ],
    load: () => import('./submit.ts'),
  },
  {
    name: 'run',
    summary: 'run a workflow here, in memory, without a server',
    about: 'The same engine, agent and replay, in this process; nothing is kept. Exits 0 or 1 as the run ends.',
    args: [FILE],
    flags: {
      ...WORKFLOW_FLAGS,
      signal: {
        type: 'string',
        value: '<name>[=<json>]',
        many: true,
        summary: 'signal that waits in the queue from the start',
      },
    },
    examples: [['svc run deploy.sh --signal approved=\'{"by":"me"}\'', 'a dry run whose approval is there already']],
    load: () => import('./run.ts'),
  },
  {
    name: 'check',
    summary: 'validate workflow files without running them',
    args: [{ name: 'file', summary: 'files to check', rest: true }],
    flags: { as: WORKFLOW_FLAGS.as!, interpreter: WORKFLOW_FLAGS.interpreter! },
    examples: [['svc check deploy.sh ci.yaml', 'every fault with its line and column']],
    load: () => import('./check.ts'),
  },
  {
    name: 'status',
    summary: 'show a run: its status, what it waits for, its output or error',
    args: [RUN],
    flags: {},
    examples: [['svc status run_01J… --json', 'for programs']],
    load: () => import('./status.ts'),
  },
  {
    name: 'steps',
    summary: "show a run's recorded steps in order",
    args: [RUN],
    flags: { output: { type: 'boolean', summary: 'with what each step printed' } },
    examples: [['svc steps run_01J… --output', 'what was recorded']],
    load: () => import('./steps.ts'),
  },
  {
    name: 'logs',
    summary: "print a run's log",
    args: [RUN],
    flags: { follow: { type: 'boolean', short: 'f', summary: 'go on until the run ends' } },
    examples: [['svc logs run_01J… --follow', 'watch it']],
    load: () => import('./logs.ts'),
  },
  {
    name: 'signal',
    summary: 'send a signal to a run',
    args: [RUN, { name: 'name', summary: 'the name it waits for' }],
    flags: {
      payload: { type: 'string', value: '<json>', summary: 'payload (default null); - reads standard input' },
      'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeat with it changes nothing' },
    },
    examples: [['svc signal run_01J… approved --payload \'{"by":"me"}\'', 'approve']],
    load: () => import('./signal.ts'),
  },
  {
    name: 'cancel',
    summary: 'cancel a run',
    args: [RUN],
    flags: { reason: { type: 'string', value: '<text>', summary: 'why; kept on the run' } },
    examples: [["svc cancel run_01J… --reason 'wrong branch'", 'stop it']],
    load: () => import('./cancel.ts'),
  },
  {
    name: 'explain',
    summary: 'say why a run waits, is queued, failed or ended, and what to do about it',
    args: [RUN],
    flags: {},
    examples: [['svc explain run_01J…', 'who holds the lock, which agent is lacking, which call failed']],
    load: () => import('./explain.ts'),
  },
  {
    name: 'rerun',
    summary: 'run a finished run anew, from its beginning or from a site on',
    about:
      'Document, input and environment are those of the first run; idempotency keys are new. With --from, what was recorded\n' +
      'before the site is not done again: the script runs from its first line and is given those results. Should it make\n' +
      'other calls than the recorded ones, the new run fails with determinism_violation and says where. A site that several\n' +
      'verbs share is the first of them, or the one whose verb stands before it.',
    args: [RUN],
    flags: {
      from: { type: 'string', value: '<site>', summary: 'a site of `svc steps`: check#2, or check for its first' },
      follow: { type: 'boolean', short: 'f', summary: 'print the log and wait for the end' },
    },
    examples: [
      ['svc rerun run_01J…', 'everything again'],
      ["svc rerun run_01J… --from 'deploy#0'", 'what came before deploy is kept'],
      [
        "svc rerun run_01J… --from 'activity-collect build#0'",
        'the call of that verb, where build was submitted before',
      ],
    ],
    load: () => import('./rerun.ts'),
  },
  {
    name: 'runs ls',
    summary: 'list runs, newest first',
    args: [],
    flags: {
      status: {
        type: 'string',
        choices: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
        summary: 'only those in this status',
      },
      tag: { type: 'string', value: '<t>', summary: 'only those with this tag' },
      workflow: { type: 'string', value: '<name>', summary: 'only those of this workflow' },
      since: { type: 'string', value: '<time>', summary: 'only those created since (ISO 8601)' },
      ...PAGE,
    },
    examples: [['svc runs ls --status waiting', 'what waits']],
    load: () => import('./ls.ts'),
  },
  {
    name: 'state ls',
    summary: 'list the project-wide cells of an entity',
    args: [],
    flags: { ...STATE_FLAGS },
    examples: [['svc state ls --entity counters', 'keys and values']],
    load: () => import('./state-ls.ts'),
  },
  {
    name: 'state get',
    summary: 'print one project-wide cell',
    args: [{ name: 'key', summary: 'the cell' }],
    flags: { ...STATE_FLAGS },
    examples: [['svc state get last-page --entity crawler', 'its value, as it is']],
    load: () => import('./state-get.ts'),
  },
];
