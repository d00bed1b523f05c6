import {
  type Api,
  type Argument,
  type Command,
  DOCUMENT_FLAGS,
  type Flags,
  inGroup,
  INPUT_FLAG,
  listCommand,
  WORKFLOW_FLAGS,
} from '../../../cli/contract.ts';
import { LOG_FLAGS, LOGS } from './log-flags.ts';
import { RUN } from './run-argument.ts';
import { runLists } from './run-lists.ts';
import { stateCommands } from './state-commands.ts';

const FILE: Argument = { name: 'file', summary: 'the workflow; - reads standard input' };

const ARGUMENTS: Argument = { name: 'argument', summary: 'arguments of the script', optional: true, rest: true };

const CALL_ABOUT =
  'Prints the output as JSON; with --json the whole run. Exits 0 if the run succeeded, else 1. If this command is stopped,\n' +
  'the run goes on. In a script the verb of that name is recorded, and the script waits without a process.';

const CALL_FLAGS: Flags = {
  input: INPUT_FLAG,
  tag: WORKFLOW_FLAGS.tag,
  subject: WORKFLOW_FLAGS.subject,
};

/** Workflows and runs. */
export const commands: readonly Command[] = [
  ...inGroup('Run', [
    {
      name: 'run',
      anywhere: true,
      summary: 'run a workflow here, in memory, without a server',
      about:
        'Uses the same engine, agent and replay in this process and stores nothing. Exits 0 if the run succeeded, else 1.\n' +
        'With --event the run begins as if this event had started it. The file holds an event with its `type`, as\n' +
        '`svc events show --json` prints it, or what a forge delivers: {"forge": …, "event": "push", "body": {…}}. While the\n' +
        'run waits for an event or a signal, it says how another terminal can send it.\n' +
        'With --skip-time nobody waits for the time: while no step, job or request runs, the clock of the service jumps to the\n' +
        'next end of a sleep, a timeout or a pause between attempts, or to the next tick of a schedule, and says so. Events and\n' +
        'signals of the command line come before. Programs have the clock of this machine.',
      args: [FILE],
      words: ARGUMENTS,
      flags: {
        ...DOCUMENT_FLAGS,
        event: { type: 'string', value: '<file>', summary: 'the event that starts the run; - reads standard input' },
        tag: WORKFLOW_FLAGS.tag,
        subject: WORKFLOW_FLAGS.subject,
        emit: {
          type: 'string',
          value: '<type>[=<json>]',
          many: true,
          summary: 'event that is sent when something waits for its type, in this order',
        },
        signal: {
          type: 'string',
          value: '<name>[=<json>]',
          many: true,
          summary: 'signal that is queued before the run starts',
        },
        'skip-time': { type: 'boolean', summary: 'when nothing runs, go on to the next due time at once' },
        artifacts: { type: 'string', value: '<folder>', summary: 'put the artifacts of the run there when it is over' },
      },
      examples: [
        ['svc run deploy.sh --signal approved=\'{"by":"me"}\'', 'a dry run that is already approved'],
        ['svc run ci.yml --event push.json --artifacts out', 'a pipeline as a push would start it'],
        ['svc run trial.sh --skip-time', 'ends a `svc sleep 30d` and a `--timeout 30d` at once'],
        ['svc run ci.yml --emit deploy.approved=\'{"by":"me"}\'', 'answers its `wait_for_event` job'],
      ],
      load: () => import('./run.ts'),
    },
    {
      name: 'submit',
      summary: 'submit a workflow to the server',
      about:
        'Prints the run id. With --follow it stays, shows the log as it is written (standard output and standard\n' +
        'error of the script go to ours) and exits 0 when the run succeeded and 1 when it did not.',
      args: [{ ...FILE, optional: true }],
      words: ARGUMENTS,
      flags: {
        ...WORKFLOW_FLAGS,
        'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first run' },
        follow: { type: 'boolean', short: 'f', summary: 'stay until the run ends' },
      },
      examples: [
        ['svc submit deploy.sh --follow', 'run a script and watch it'],
        ['svc submit deploy.sh --input region=eu replicas:=3', 'with an input, which it reads with `svc input region`'],
        ['svc submit deploy.sh -- eu --force', 'with arguments: $1 is eu'],
        ['svc submit deploy.sh --credential GH_TOKEN=bot', 'with a credential; the service inserts its value'],
        [
          'svc submit etl.py --tag team:data --idempotency-key nightly-2026-11-21',
          'submit once, however often this is called',
        ],
      ],
      load: () => import('./submit.ts'),
    },
    {
      name: 'call node',
      summary: 'run a single node, wait for it and print its output',
      about: CALL_ABOUT,
      args: [{ name: 'kind', summary: 'type of the node, e.g. http', from: 'graph types' }],
      flags: {
        config: { type: 'string', value: '<json>', summary: 'its configuration; - reads standard input' },
        ...CALL_FLAGS,
      },
      examples: [
        [
          `svc call node http --config '{"url":"https://example.org/"}'`,
          'one request, with the credentials of the project',
        ],
      ],
      load: async () => ({ run: (await import('./call.ts')).callNode }),
    },
    {
      name: 'call graph',
      summary: 'run a graph, wait for it and print its output',
      about: CALL_ABOUT,
      args: [{ name: 'name', summary: 'a stored graph', from: 'graph ls', optional: true }],
      flags: {
        definition: { type: 'string', value: '<file>', summary: 'a graph document instead; - reads standard input' },
        ...CALL_FLAGS,
      },
      examples: [
        [`svc call graph nightly --input '{"day":"2026-11-21"}'`, 'a stored graph'],
        ['svc call graph --definition nightly.json', 'a document that is not stored'],
      ],
      load: async () => ({ run: (await import('./call.ts')).callGraph }),
    },
    {
      name: 'check',
      summary: 'validate files without running them: workflows, handlers, connector manifests',
      about:
        'Recognises each file by its content or its ending, and prints every problem with its line, its column and the code of\n' +
        'the rule. Predicates are compiled, and workflows within workflows are checked too. Exits 1 if there is a problem.\n' +
        'Of scripts: the syntax of bash, Python, TypeScript and JavaScript, unknown verbs and names of the SDK, what a replay would\n' +
        'do otherwise; where it is checked here also imports that this machine does not have.\n' +
        'With --replay a script is run here: its calls are answered from the history, and the first one that is not in it ends\n' +
        'the replay, so that no step, wait or event is carried out. What the script does between its calls is done: it has an\n' +
        'empty folder as home and workspace, no credentials (their variables are ***) and no variables of yours. Secret values in the\n' +
        'history are masked.',
      args: [{ name: 'file', summary: 'files to check; - reads standard input', rest: true }],
      flags: {
        as: {
          type: 'string',
          choices: ['script', 'pipeline', 'yaml', 'graph', 'handler', 'connector'],
          summary: 'kind of document (default: by content and file name)',
        },
        interpreter: DOCUMENT_FLAGS.interpreter,
        include: DOCUMENT_FLAGS.include,
        root: DOCUMENT_FLAGS.root,
        strict: { type: 'boolean', summary: 'exit 1 for warnings too' },
        local: {
          type: 'boolean',
          summary: 'check here, without a server and its project (default where there is none)',
        },
        replay: {
          type: 'string',
          run: true,
          value: '<run-id>',
          summary: 'also play the script on the history of this run',
        },
        env: { type: 'string', value: 'K=V', many: true, summary: 'variable of the script, with --replay' },
        timeout: { type: 'number', least: 1, most: 3600, summary: 'seconds that a replay may take (default 60)' },
      },
      examples: [
        ['svc check deploy.sh ci.yaml', 'prints every problem with its line and column'],
        ['svc check on-push.json --as handler', 'the body of a registration'],
        ['svc check deploy.sh --replay run_01J…', 'whether an edited script still reads what the run has recorded'],
      ],
      load: () => import('./check.ts'),
    },
    {
      name: 'signal',
      summary: 'send a signal to a run',
      about:
        'Says at once when nothing in the run waits for that name: the signal is queued, and the next wait of the name takes it.',
      args: [RUN, { name: 'name', summary: 'the name it waits for', offers: () => import('./awaited-signals.ts') }],
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
      name: 'runs timeout',
      summary: 'how long a run of the project may take that has no --timeout, or change that',
      about:
        'Counts from the submit, waits included; then the run fails with deadline_exceeded. A timeout of the submit, the\nhandler, the schedule or the webhook wins. Runs that were submitted before keep theirs.',
      args: [{ name: 'duration', summary: 'e.g. 2h, or none: for ever; absent: prints it', optional: true }],
      examples: [
        ['svc runs timeout 6h', 'a run that hangs ends by itself'],
        ['svc runs timeout none', 'runs may take for ever'],
      ],
      load: () => import('./timeout.ts'),
    },
    {
      name: 'rerun',
      summary: 'run a finished run again: what did not succeed, or from a site on',
      about:
        'The new run has the document, input and environment of the first one, but new idempotency keys. A pipeline or a graph\n' +
        'that did not succeed keeps the jobs and nodes that did, with their outputs and artifacts, and does the rest again;\n' +
        'with --all it keeps nothing. A script runs from its first line, with a new journal. With --from, calls before the\n' +
        'site do not run again: the script starts at its first line and gets the recorded results. If it makes other calls,\n' +
        'the new run fails with determinism_violation, which names the call. If several verbs share a site, put the verb\n' +
        'before it. In a pipeline or a graph --from names a job or a node: that node, everything after it and what did not\n' +
        'succeed run again. The site of a script that is a job stands behind the job: the calls before it are kept there.',
      args: [RUN],
      flags: {
        from: {
          type: 'string',
          value: '<site>',
          summary:
            'a site of `svc steps`: check#2, or check for its first; a job or node; or ship/check#2, a site of a job',
        },
        all: { type: 'boolean', summary: 'everything again: keep nothing of a pipeline or a graph' },
        follow: { type: 'boolean', short: 'f', summary: 'print the log and wait for the end' },
      },
      examples: [
        ['svc rerun run_01J…', 'what did not succeed; a script from its first line'],
        ['svc rerun run_01J… --all', 'everything again'],
        ["svc rerun run_01J… --from 'deploy#0'", 'keeps the results of all calls before deploy'],
        ["svc rerun run_01J… --from 'ship/notify#0'", 'the job ship of a pipeline, from its call notify on'],
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
      about:
        'With --wait it answers as soon as the run is over: 0 when it succeeded, 1 when it did not, 124 when it is not over\n' +
        'after that time. At most 10m.',
      args: [RUN],
      flags: { wait: { type: 'string', value: '<duration>', summary: 'wait so long for the end of the run' } },
      examples: [
        ['svc status run_01J… --json', 'for programs'],
        ['svc status run_01J… --wait 5m', 'once it is over'],
      ],
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
      summary: "show a run's recorded steps, or the nodes of a graph, in order",
      args: [RUN],
      flags: {
        output: { type: 'boolean', summary: 'with what each step printed, or each node put out' },
        node: { type: 'string', value: '<id>', summary: 'the items of this node; with --calls its calls' },
        calls: {
          type: 'boolean',
          summary: 'the recorded calls inside the nodes of a graph, or the jobs of a pipeline',
        },
      },
      examples: [
        ['svc steps run_01J… --output', 'what was recorded'],
        ['svc steps run_01J… --node build', 'the items of a fan-out'],
        ['svc steps run_01J… --node ship --calls', 'what the script of the job ship has recorded'],
      ],
      load: () => import('./steps.ts'),
    },
    {
      name: 'logs',
      summary: "print a run's log",
      about: LOGS,
      args: [RUN],
      flags: LOG_FLAGS,
      examples: [
        ['svc logs run_01J… --follow', 'watch it'],
        ['svc logs run_01J… --pass last --step build --tail 20', 'how the build ended the last time'],
        ['svc logs run_01J… --json --grep error', 'for programs'],
      ],
      load: () => import('./logs.ts'),
    },
    listCommand<Api.Signal>({
      name: 'signals',
      summary: 'list the signals that were sent to a run, newest first, and whether a wait has taken them',
      args: [RUN],
      filters: { state: { type: 'string', choices: ['queued', 'taken'], summary: 'only those in this state' } },
      examples: [['svc signals run_01J… --state queued', 'what no wait has taken yet']],
      path: (api, { args }) => api.scoped(`/runs/${encodeURIComponent(args[0]!)}/signals`),
      member: 'signals',
      columns: { name: 'name', state: 'state', sent: 'sent_at', taken: ({ taken_at = '' }) => taken_at },
    }),
    {
      name: 'source',
      summary: 'print the document that a run carries out, or what it was given',
      args: [RUN],
      flags: {
        input: { type: 'boolean', summary: 'the input, or the event that started it' },
        files: { type: 'boolean', summary: 'the files that lie beside the script: names, sizes, digests' },
      },
      examples: [['svc source run_01J…', 'the graph, script or pipeline']],
      load: () => import('./source.ts'),
    },
    ...runLists,
    ...stateCommands,
  ]),
];
