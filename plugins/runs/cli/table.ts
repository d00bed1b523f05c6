import {
  type Api,
  type Argument,
  type Client,
  type Command,
  DOCUMENT_FLAGS,
  type Flags,
  type Invocation,
  inGroup,
  listCommand,
  usageError,
  WORKFLOW_FLAGS,
} from '../../../cli/contract.ts';
import type { RunView } from './answers.ts';
import { paint, waitsFor } from './describe.ts';

const RUN: Argument = { name: 'run-id', summary: 'the run, e.g. run_01J…' };
const FILE: Argument = { name: 'file', summary: 'the workflow; - reads standard input' };

const entityPath = (api: Client, { flags: { entity } }: Invocation): string => {
  if (entity === undefined) throw usageError('--entity is missing', 'svc state ls --entity <name>');
  return api.scoped(`/state/${encodeURIComponent(String(entity))}`);
};

const STATE_FLAGS: Flags = {
  entity: { type: 'string', value: '<name>', summary: 'the project-wide entity that holds the cell' },
};

/** Workflows and runs. */
export const commands: readonly Command[] = [
  ...inGroup('Run', [
    {
      name: 'run',
      summary: 'run a workflow here, in memory, without a server',
      about:
        'Uses the same engine, agent and replay in this process and stores nothing. Exits 0 if the run succeeded, else 1.',
      args: [FILE],
      flags: {
        ...DOCUMENT_FLAGS,
        signal: {
          type: 'string',
          value: '<name>[=<json>]',
          many: true,
          summary: 'signal that is queued before the run starts',
        },
      },
      examples: [['svc run deploy.sh --signal approved=\'{"by":"me"}\'', 'a dry run that is already approved']],
      load: () => import('./run.ts'),
    },
    {
      name: 'submit',
      summary: 'submit a workflow to the server',
      about:
        'Prints the run id. With --follow it stays, shows the log as it is written (standard output and standard\n' +
        'error of the script go to ours) and exits 0 when the run succeeded and 1 when it did not.',
      args: [{ ...FILE, optional: true }],
      flags: {
        ...WORKFLOW_FLAGS,
        'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first run' },
        follow: { type: 'boolean', short: 'f', summary: 'stay until the run ends' },
      },
      examples: [
        ['svc submit deploy.sh --follow', 'run a script and watch it'],
        ['svc submit deploy.sh --credential GH_TOKEN=bot', 'with a credential; the service inserts its value'],
        [
          'svc submit etl.py --tag team:data --idempotency-key nightly-2026-11-21',
          'submit once, however often this is called',
        ],
      ],
      load: () => import('./submit.ts'),
    },
    {
      name: 'check',
      summary: 'validate workflow files without running them',
      args: [{ name: 'file', summary: 'files to check', rest: true }],
      flags: { as: DOCUMENT_FLAGS.as, interpreter: DOCUMENT_FLAGS.interpreter },
      examples: [['svc check deploy.sh ci.yaml', 'prints every fault with its line and column']],
      load: () => import('./check.ts'),
    },
    {
      name: 'signal',
      summary: 'send a signal to a run',
      args: [RUN, { name: 'name', summary: 'the name it waits for' }],
      flags: {
        payload: { type: 'string', value: '<json>', summary: 'payload (default null); - reads standard input' },
        'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request changes nothing' },
      },
      examples: [['svc signal run_01J… approved --payload \'{"by":"me"}\'', 'approve']],
      load: () => import('./signal.ts'),
    },
    {
      name: 'cancel',
      summary: 'cancel a run',
      args: [RUN],
      flags: { reason: { type: 'string', value: '<text>', summary: 'reason that is stored with the run' } },
      examples: [["svc cancel run_01J… --reason 'wrong branch'", 'stop it']],
      load: () => import('./cancel.ts'),
    },
    {
      name: 'rerun',
      summary: 'run a finished run again, from the beginning or from a site',
      about:
        'The new run has the document, input and environment of the first one, but new idempotency keys. With --from, calls\n' +
        'before the site do not run again: the script starts at its first line and gets the recorded results. If it makes\n' +
        'other calls, the new run fails with determinism_violation, which names the call. If several verbs share a site, the\n' +
        'first call counts; put the verb before the site to choose another one.',
      args: [RUN],
      flags: {
        from: { type: 'string', value: '<site>', summary: 'a site of `svc steps`: check#2, or check for its first' },
        follow: { type: 'boolean', short: 'f', summary: 'print the log and wait for the end' },
      },
      examples: [
        ['svc rerun run_01J…', 'everything again'],
        ["svc rerun run_01J… --from 'deploy#0'", 'keeps the results of all calls before deploy'],
        [
          "svc rerun run_01J… --from 'activity-collect build#0'",
          'the collect call; build was submitted by another verb',
        ],
      ],
      load: () => import('./rerun.ts'),
    },
  ]),
  ...inGroup('Look', [
    {
      name: 'status',
      summary: 'show a run: its status, what it waits for, its output or error',
      args: [RUN],
      examples: [['svc status run_01J… --json', 'for programs']],
      load: () => import('./status.ts'),
    },
    {
      name: 'explain',
      summary: 'explain why a run waits, is queued, failed or ended, and what to do',
      args: [RUN],
      examples: [['svc explain run_01J…', 'shows who holds a lock, which agent is missing, which call failed']],
      load: () => import('./explain.ts'),
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
      flags: { follow: { type: 'boolean', short: 'f', summary: 'follow the log until the run ends' } },
      examples: [['svc logs run_01J… --follow', 'watch it']],
      load: () => import('./logs.ts'),
    },
    listCommand<RunView>({
      name: 'runs ls',
      summary: 'list runs, newest first',
      filters: {
        status: {
          type: 'string',
          choices: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
          summary: 'only those in this status',
        },
        tag: { type: 'string', value: '<t>', summary: 'only those with this tag' },
        workflow: { type: 'string', value: '<name>', summary: 'only those of this workflow' },
        since: { type: 'string', value: '<time>', summary: 'only those created since (ISO 8601)' },
      },
      examples: [['svc runs ls --status waiting', 'what waits']],
      path: '/runs',
      member: 'runs',
      columns: {
        run: 'run_id',
        status: (run, output) => `${paint(run.status, output)}${waitsFor(run)}`,
        workflow: 'workflow',
        created: 'created_at',
        tags: ({ tags }) => tags.join(' '),
      },
    }),
    listCommand<Api.CellRecord>({
      name: 'state ls',
      summary: 'list the project-wide cells of an entity',
      flags: STATE_FLAGS,
      examples: [['svc state ls --entity counters', 'keys and values']],
      path: entityPath,
      member: 'cells',
      columns: { key: 'key', value: 'value' },
    }),
    {
      name: 'state get',
      summary: 'print one project-wide cell',
      args: [{ name: 'key', summary: 'the cell' }],
      flags: STATE_FLAGS,
      examples: [['svc state get last-page --entity crawler', 'prints the stored value unchanged']],
      load: () => import('./state-get.ts'),
    },
  ]),
];
