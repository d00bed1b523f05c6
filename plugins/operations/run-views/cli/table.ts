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
} from '../../../../cli/contract.ts';
import { LOG_FLAGS, LOGS } from './log-flags.ts';
import { RUN } from './run-argument.ts';
import { runLists } from './run-lists.ts';
import { savedViews } from './saved-views.ts';

const FILE: Argument = { name: 'file', summary: 'the workflow; - reads standard input' };

const ARGUMENTS: Argument = { name: 'argument', summary: 'arguments for the script', optional: true, rest: true };

const CALL_ABOUT =
  'Prints the output as JSON; with --json the whole run. Exits with 0 if the run succeeded, otherwise 1. If you stop this command,\n' +
  'the run continues. In a script, the call is recorded, and the script waits without a process.';

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
      description:
        "Uses a server's engine, agent and replay in this process, and stores nothing. Exits with 0 if the run succeeded,\n" +
        'otherwise 1.\n' +
        'With --event, the run starts as if this event had triggered it. The file contains an event with its `type`, as `svc\n' +
        'events show --json` prints it, or a forge\'s delivery: {"forge": …, "event": "push", "body": {…}}. While the run\n' +
        'waits for an event or a signal, svc run shows the command that sends it from another terminal.\n' +
        "With --skip-time, waits take no time: while no step, job or request runs, the service's clock jumps to the time when\n" +
        'the next sleep, timeout or pause between attempts ends, or to the next schedule tick. Each jump is reported. Events\n' +
        "and signals from the command line are sent first. Programs use this machine's clock.",
      args: [FILE],
      words: ARGUMENTS,
      inputs: true,
      flags: {
        ...DOCUMENT_FLAGS,
        event: { type: 'string', value: '<file>', summary: 'the event that starts the run; - reads standard input' },
        tag: WORKFLOW_FLAGS.tag,
        subject: WORKFLOW_FLAGS.subject,
        emit: {
          type: 'string',
          value: '<type>[=<json>]',
          many: true,
          summary: 'event to send when something waits for its type; several go in the order given',
        },
        signal: {
          type: 'string',
          value: '<name>[=<json>]',
          many: true,
          summary: 'signal to queue before the run starts',
        },
        'skip-time': { type: 'boolean', summary: 'jump to the next due time when nothing runs' },
        artifacts: {
          type: 'string',
          value: '<folder>',
          summary: "folder that gets the run's artifacts when the run ends",
        },
      },
      examples: [
        ['svc run deploy.sh --signal approved=\'{"by":"me"}\'', 'start with the signal already sent'],
        ['svc run ci.yml --event push.json --artifacts out', 'run a pipeline as if a push had started it'],
        ['svc run trial.sh --skip-time', 'skip an `svc sleep 30d` and a `--timeout 30d`'],
        ['svc run ci.yml --emit deploy.approved=\'{"by":"me"}\'', 'end the wait of its `wait_for_event` job'],
      ],
      load: () => import('./run.ts'),
    },
    {
      name: 'submit',
      summary: 'submit a workflow to the server',
      description:
        "Prints the ID of the run. With --follow, it shows the script's log (its standard output and standard\n" +
        'error) until the run ends, and exits with 0 if the run succeeded, otherwise with 1.\n' +
        'Each input that the workflow declares is a flag, which you write after the workflow; `svc help <workflow>` lists these\n' +
        'flags. If an input has the name of a flag listed here, use `--input.<name>`.',
      args: [{ ...FILE, optional: true }],
      words: ARGUMENTS,
      inputs: true,
      flags: {
        ...WORKFLOW_FLAGS,
        'idempotency-key': { type: 'string', value: '<key>', summary: 'a repeated request returns the first run' },
        paused: { type: 'boolean', summary: 'create the run paused: nothing starts before `svc resume`' },
        priority: {
          type: 'number',
          least: 0,
          most: 9,
          summary: 'priority from 0 (default) to 9; the run goes before waiting runs with a lower priority',
        },
        'concurrency-group': {
          type: 'string',
          value: '<group>',
          summary: 'wait for the lock with this name, and hold it until the run ends (scripts and functions only)',
        },
        'concurrency-limit': {
          type: 'number',
          least: 1,
          most: 1000,
          summary: 'how many runs of the group can proceed at once (default 1, or 1,000 with a throttle)',
        },
        'concurrency-policy': {
          type: 'string',
          value: '<policy>',
          choices: ['queue', 'cancel-pending', 'cancel-running'],
          summary: 'what happens to earlier runs of the group (default queue)',
        },
        'concurrency-throttle': {
          type: 'string',
          value: '<n/period>',
          summary: 'how many runs of the group can start in any period, such as 10/1m',
        },
        follow: { type: 'boolean', short: 'f', summary: 'show the log until the run ends' },
      },
      examples: [
        ['svc submit deploy.sh --follow', 'run a script and watch it'],
        [
          'svc submit deploy.sh --input region=eu replicas:=3',
          'with an input, which the script reads with `svc input region`',
        ],
        ['svc submit deploy.yaml --service shop --replicas 3', 'with inputs that the workflow declares'],
        ['svc submit deploy.sh -- eu --force', 'with arguments: $1 is eu'],
        [
          'svc submit deploy.sh --priority 5 --concurrency-group deploy',
          'one run at a time, ahead of less urgent runs',
        ],
        ['svc submit deploy.sh --credential GH_TOKEN=bot', 'with a credential; the service inserts its value'],
        [
          'svc submit etl.py --tag team:data --idempotency-key nightly-2026-11-21',
          'submit once, even if the command is repeated',
        ],
      ],
      load: () => import('./submit.ts'),
    },
    {
      name: 'call node',
      summary: 'run a single node, wait for it and print its output',
      description: CALL_ABOUT,
      args: [{ name: 'kind', summary: 'type of the node, e.g. http', from: 'graph types' }],
      flags: {
        config: { type: 'string', value: '<json>', summary: 'configuration of the node; - reads standard input' },
        ...CALL_FLAGS,
      },
      examples: [
        [`svc call node http --config '{"url":"https://example.org/"}'`, "one request, with the project's credentials"],
      ],
      load: async () => ({ run: (await import('./call.ts')).callNode }),
    },
    {
      name: 'call graph',
      summary: 'run a graph, wait for it and print its output',
      description: CALL_ABOUT,
      args: [{ name: 'name', summary: 'a stored graph', from: 'graph ls', optional: true }],
      inputs: true,
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
      name: 'call function',
      summary: 'run a workflow that a worker serves, wait for it and print its output',
      description: CALL_ABOUT,
      args: [{ name: 'name', summary: 'a workflow that workers serve', from: 'functions ls' }],
      inputs: true,
      flags: CALL_FLAGS,
      examples: [[`svc call function order --input '{"sku":"a1"}'`, 'a workflow of `svc worker orders.ts`']],
      load: async () => ({ run: (await import('./call.ts')).callFunction }),
    },
    {
      name: 'check',
      summary: 'validate files without running them: workflows, handlers, connector manifests',
      description:
        'Recognizes each file by its content or extension, and prints every problem with its line, its column and the code of\n' +
        'the rule. Predicates are compiled, and nested workflows are checked too. Exits with 1 if there is a problem.\n' +
        'In scripts, it checks the syntax (bash, Python, TypeScript and JavaScript), verbs, SDK names, differences that a\n' +
        'replay would show and, with --local, imports that this machine does not have.\n' +
        'With --replay, the script runs on this machine, and its calls get their results from the history. The replay ends at\n' +
        'the first call that is not in the history, so no step, wait or event is executed. Code between the calls does run,\n' +
        'with an empty folder as its home and workspace, without credentials (their variables are ***) and without your\n' +
        'variables. Secret values in the history are masked.',
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
        strict: { type: 'boolean', summary: 'exit with 1 for warnings too' },
        local: {
          type: 'boolean',
          summary: 'check locally, without a server and its project (default if there is no server)',
        },
        replay: {
          type: 'string',
          run: true,
          value: '<run-id>',
          summary: 'also replay the script with the history of this run',
        },
        env: { type: 'string', value: 'K=V', many: true, summary: 'script variable, for --replay' },
        timeout: { type: 'number', least: 1, most: 3600, summary: 'time limit for a replay in seconds (default 60)' },
      },
      examples: [
        ['svc check deploy.sh ci.yaml', 'prints every problem with its line and column'],
        ['svc check on-push.json --as handler', 'check the body of a registration'],
        ['svc check deploy.sh --replay run_01J…', "check that an edited script still replays the run's records"],
      ],
      load: () => import('./check.ts'),
    },
    {
      name: 'signal',
      summary: 'send a signal to a run',
      description:
        'If nothing in the run waits for the name, the signal is queued, and the next wait for the name consumes it. The\n' +
        'command reports this.',
      args: [
        RUN,
        {
          name: 'name',
          summary: 'name of the signal that the run waits for',
          complete: () => import('./awaited-signals.ts'),
        },
      ],
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
      flags: { reason: { type: 'string', value: '<text>', summary: 'reason to store with the run' } },
      examples: [["svc cancel run_01J… --reason 'wrong branch'", 'stop it']],
      load: () => import('./cancel.ts'),
    },
    {
      name: 'pause',
      summary: 'pause runs: nothing new starts in them until `svc resume`',
      description:
        'A paused run starts no step, activity, node or job. Work in progress finishes and is recorded; a script stops\n' +
        'before its next call. Timers continue: a sleep or timeout that ends meanwhile is recorded, and the run continues from it\n' +
        'when it is resumed. Signals and events are recorded too. The deadline of the run still applies, locks stay held, and\n' +
        'you can cancel the run. The runs that it has called are paused and resumed with it, at every depth.',
      args: [{ ...RUN, rest: true }],
      flags: { reason: { type: 'string', value: '<text>', summary: 'reason to show with the run' } },
      examples: [["svc pause run_01J… --reason 'database upgrade'", 'nothing more starts until you resume it']],
      load: async () => ({ run: (await import('./pause.ts')).pause }),
    },
    {
      name: 'resume',
      summary: 'resume paused runs',
      args: [{ ...RUN, rest: true }],
      examples: [['svc resume run_01J…', 'continue where it was paused']],
      load: async () => ({ run: (await import('./pause.ts')).resume }),
    },
    {
      name: 'runs timeout',
      summary: "show or set the time limit for the project's runs without a --timeout",
      description:
        'The time counts from the submission, including waits; then the run fails with deadline_exceeded. A timeout set by the\n' +
        'submit, handler, schedule or webhook takes precedence. Earlier runs keep their limit.',
      args: [
        { name: 'duration', summary: 'e.g. 2h, or none for no limit; without it, prints the setting', optional: true },
      ],
      examples: [
        ['svc runs timeout 6h', 'a run that hangs fails after 6 hours'],
        ['svc runs timeout none', 'runs have no time limit'],
      ],
      load: () => import('./timeout.ts'),
    },
    {
      name: 'rerun',
      summary: 'rerun a finished run: the parts that did not succeed, or everything from a site',
      description:
        'The new run has the document, input and environment of the first one, but new idempotency keys. For a pipeline or graph\n' +
        'that did not succeed, the rerun keeps the jobs and nodes that succeeded, with their outputs and artifacts, and runs the\n' +
        'rest again; with --all, it keeps nothing.\n' +
        'A script runs from its first line, with a new journal. With --from, calls before the site do not run again: the script\n' +
        'starts at its first line and gets the recorded results. If the script makes other calls, the new run fails with\n' +
        'determinism_violation, and the error shows the call. If several verbs share a site, put the verb before it. In a\n' +
        'pipeline or graph, --from is a job or node: that node, everything after it and everything that did not succeed run\n' +
        "again. If the script is a job, put the job's name before the site. The calls before the site are kept. With --input, the\n" +
        'new run gets this input instead of the whole input of the first run. The input is checked as in a submission. Without\n' +
        '--from, a rerun of a pipeline or graph with another input keeps no results.',
      args: [RUN],
      flags: {
        from: {
          type: 'string',
          value: '<site>',
          summary:
            'a site from `svc steps` (check#2, or check for the first), a job or node, or a site in a job (ship/check#2)',
        },
        all: { type: 'boolean', summary: 'run everything again: keep no results of a pipeline or graph' },
        input: { ...INPUT_FLAG, summary: 'another input: k=text k:=json…, or JSON, @file, - for standard input' },
        follow: { type: 'boolean', short: 'f', summary: 'print the log until the run ends' },
      },
      examples: [
        ['svc rerun run_01J…', 'rerun the parts that did not succeed, or a script from its first line'],
        ['svc rerun run_01J… --all', 'run everything again'],
        ['svc rerun run_01J… --input region=eu replicas:=3', 'run it with another input'],
        ["svc rerun run_01J… --from 'deploy#0'", 'keeps the results of all calls before deploy'],
        ["svc rerun run_01J… --from 'ship/notify#0'", 'rerun the pipeline job ship from its call notify'],
        ["svc rerun run_01J… --from 'activity-collect build#0'", 'rerun from the activity-collect call of build'],
      ],
      load: () => import('./rerun.ts'),
    },
  ]),
  ...inGroup('Look', [
    {
      name: 'status',
      summary: 'show a run: its status, what it is waiting for, its output or error',
      description:
        'With --wait, the command returns when the run ends. It exits with 0 if the run succeeded, 1 if it did not, and 124 if\n' +
        'the run has not ended after that time, which is at most 10m.',
      args: [RUN],
      flags: { wait: { type: 'string', value: '<duration>', summary: 'wait this long for the run to end' } },
      examples: [
        ['svc status run_01J… --json', 'for programs'],
        ['svc status run_01J… --wait 5m', 'returns when it ends'],
      ],
      load: () => import('./status.ts'),
    },
    {
      name: 'explain',
      summary: 'explain why a run is waiting or queued, or why it failed or ended; with --since, what costs time',
      description:
        'With --since instead of a run, the command reads the newest 500 runs of that time and shows what they waited for, which\n' +
        'retries never helped, which calls became slower, and which handlers started no run. Each finding names a command.',
      args: [{ ...RUN, optional: true }],
      flags: {
        since: {
          type: 'string',
          value: '<time>',
          summary: 'explain the runs since then: a time, or a duration such as 24h',
        },
      },
      examples: [
        ['svc explain run_01J…', 'shows who holds a lock, which agent is missing, which call failed'],
        ['svc explain --since 24h', 'shows what cost time in the last day'],
      ],
      load: () => import('./explain.ts'),
    },
    {
      name: 'steps',
      summary: "show a run's recorded steps, or the nodes of a graph, in order",
      args: [RUN],
      flags: {
        output: { type: 'boolean', summary: 'with the output of each step or node' },
        node: { type: 'string', value: '<id>', summary: 'only the items of this node; with --calls its calls' },
        calls: {
          type: 'boolean',
          summary: 'the recorded calls inside the nodes of a graph, or the jobs of a pipeline',
        },
      },
      examples: [
        ['svc steps run_01J… --output', 'the recorded outputs'],
        ['svc steps run_01J… --node build', 'the items of a fan-out'],
        ['svc steps run_01J… --node ship --calls', 'the recorded calls of the script in the job ship'],
      ],
      load: () => import('./steps.ts'),
    },
    {
      name: 'logs',
      summary: "print a run's log",
      description: LOGS,
      args: [RUN],
      flags: LOG_FLAGS,
      examples: [
        ['svc logs run_01J… --follow', 'watch it'],
        ['svc logs run_01J… --pass last --step build --tail 20', 'the end of the last build'],
        ['svc logs run_01J… --json --grep error', 'for programs'],
      ],
      load: () => import('./logs.ts'),
    },
    listCommand<Api.Signal>({
      name: 'signals',
      summary: 'list the signals of a run, newest first, and whether a wait has consumed them',
      args: [RUN],
      filters: { state: { type: 'string', choices: ['queued', 'taken'], summary: 'only signals in this state' } },
      examples: [['svc signals run_01J… --state queued', 'signals that no wait has consumed yet']],
      path: (api, { args }) => api.scoped(`/runs/${encodeURIComponent(args[0]!)}/signals`),
      member: 'signals',
      columns: {
        name: 'name',
        state: ({ state, decision }) => decision ?? state,
        by: ({ by = '' }) => by,
        sent: 'sent_at',
        taken: ({ taken_at = '' }) => taken_at,
      },
    }),
    {
      name: 'source',
      summary: "print a run's document or input",
      args: [RUN],
      flags: {
        input: { type: 'boolean', summary: 'the input, or the event that started it' },
        files: { type: 'boolean', summary: 'the files included with the script: names, sizes, digests' },
      },
      examples: [['svc source run_01J…', 'the graph, script or pipeline']],
      load: () => import('./source.ts'),
    },
    ...runLists,
    ...savedViews,
  ]),
];
