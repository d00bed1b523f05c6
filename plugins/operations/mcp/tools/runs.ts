import { ANY_JSON, objectSchema, pathOf, text, type Tool, type ToolApi, type ToolInput } from './tool.ts';

/** Clients end a silent call after 60 s, and so do many proxies. */
const MAX_WAIT_S = 50;
export const DEFAULT_WAIT_S = 25;

const RUN_ID = text('ID of the run, such as run_01J…');

const WAIT = {
  type: 'integer',
  minimum: 0,
  maximum: MAX_WAIT_S,
  default: DEFAULT_WAIT_S,
  description: 'How long to wait for the run to end. 0 returns at once.',
};

const KEY = text('Use a new key for each intended run. A repeated call with the same key returns the first run.', {
  maxLength: 255,
});

export const INPUT = { type: ANY_JSON, description: 'The input of the run: any JSON.' };

interface RunRecord {
  run_id: string;
  status: string;
  [member: string]: unknown;
}

const RUN_MEMBERS = [
  'run_id',
  'status',
  'workflow',
  'output',
  'error',
  'substate',
  'created_at',
  'ended_at',
  'run_url',
];
const ENDED = ['succeeded', 'failed', 'cancelled'];

/** The members of a run that matter to a model, and what it can do while the run is not over. */
export function viewOf(run: RunRecord) {
  const view = Object.fromEntries(RUN_MEMBERS.flatMap((name) => (run[name] === undefined ? [] : [[name, run[name]]])));
  if (ENDED.includes(run.status)) return view;
  const next =
    'The run continues without you. Call get_run with its run_id later, or explain_run to learn what it is waiting for.';
  return { ...view, next };
}

/** Submits a workflow, and waits for the end of the run for a while. */
export async function submit(api: ToolApi, workflow: object, input: ToolInput): Promise<unknown> {
  const { wait_seconds = DEFAULT_WAIT_S, idempotency_key } = input;
  const body = { ...workflow, ...(idempotency_key !== undefined && { idempotency_key }) };
  const query = Number(wait_seconds) > 0 ? { wait: `${Number(wait_seconds)}s` } : {};
  return viewOf(await api.call<RunRecord>({ method: 'POST', path: '/runs', query, body }));
}

export const SUBMITS = { method: 'POST', path: '/runs' } as const;
const READS = { method: 'GET', path: '/runs' } as const;
const SUBMIT_FIELDS = { input: INPUT, wait_seconds: WAIT, idempotency_key: KEY };

const defined = (input: ToolInput, ...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

export const runTools: readonly Tool[] = [
  {
    name: 'run_workflow',
    title: 'Run a workflow',
    description:
      'Starts a stored workflow by its name and waits for it to end. list_workflows shows the names. The run is durable: it ' +
      'continues after this call returns, and survives restarts.',
    input: objectSchema(
      {
        kind: { enum: ['graph', 'function'], description: 'The kind that list_workflows shows.' },
        name: text('Name of the workflow.', { maxLength: 128 }),
        ...SUBMIT_FIELDS,
      },
      ['kind', 'name'],
    ),
    changes: true,
    requires: SUBMITS,
    run: (input, api) => submit(api, { [String(input.kind)]: input.name, ...defined(input, 'input') }, input),
  },
  {
    name: 'run_script',
    title: 'Run a script',
    description:
      'Runs a program as a durable workflow: bash, Python, TypeScript, or a YAML pipeline. The extension of filename selects ' +
      'the language. In scripts, `svc step <name> -- <command>` records a result once, `svc sleep 1h` waits, and ' +
      '`svc wait-signal <name>` waits for a person.',
    input: objectSchema(
      {
        filename: text('For example deploy.sh, report.py or ci.yaml.', { maxLength: 255 }),
        source: text('The text of the program, at most 1 MiB.', { maxLength: 1_048_576 }),
        args: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 4096 }, description: 'Arguments.' },
        ...SUBMIT_FIELDS,
      },
      ['filename', 'source'],
    ),
    changes: true,
    requires: SUBMITS,
    run: (input, api) => submit(api, defined(input, 'filename', 'source', 'args', 'input'), input),
  },
  {
    name: 'list_runs',
    title: 'List runs',
    description: 'Lists runs, newest first. Use it to find a run by status, workflow or subject.',
    input: objectSchema({
      status: text('queued, running, waiting, succeeded, failed or cancelled; several are separated by commas.'),
      workflow: text('Name of the workflow.'),
      subject: text('Subject of the run.'),
      since: text('Only runs created since this time (ISO 8601), or within this duration, such as 2h.'),
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
      cursor: text('next_cursor of the previous page.'),
    }),
    requires: READS,
    async run(input, api) {
      const query = { limit: 20, ...input } as Record<string, string | number>;
      const page = await api.call<{ runs: RunRecord[]; next_cursor?: string }>({ method: 'GET', path: '/runs', query });
      return { ...page, runs: page.runs.map(({ output: _output, ...run }) => viewOf(run as RunRecord)) };
    },
  },
  {
    name: 'get_run',
    title: 'Show a run',
    description: 'Shows the status, output and error of a run. With wait_seconds, first waits for it to end.',
    input: objectSchema({ run_id: RUN_ID, wait_seconds: { ...WAIT, default: 0 } }, ['run_id']),
    requires: READS,
    async run({ run_id, wait_seconds = 0 }, api) {
      const query = Number(wait_seconds) > 0 ? { wait: `${Number(wait_seconds)}s` } : {};
      return viewOf(await api.call<RunRecord>({ method: 'GET', path: pathOf`/runs/${run_id}`, query }));
    },
  },
  {
    name: 'explain_run',
    title: 'Explain a run',
    description: 'Explains why a run is waiting, has failed or is not making progress, and what to do.',
    input: objectSchema({ run_id: RUN_ID }, ['run_id']),
    requires: READS,
    run: ({ run_id }, api) => api.call({ method: 'GET', path: pathOf`/runs/${run_id}/explanation` }),
  },
  {
    name: 'list_run_steps',
    title: 'List the steps of a run',
    description: 'Lists the recorded steps of a run, or its nodes and jobs, with their states, times and outputs.',
    input: objectSchema({ run_id: RUN_ID, cursor: text('next_cursor of the previous page.') }, ['run_id']),
    requires: READS,
    run: ({ run_id, cursor }, api) =>
      api.call({
        method: 'GET',
        path: pathOf`/runs/${run_id}/steps`,
        query: { limit: 50, output: 'true', ...(cursor !== undefined && { cursor: String(cursor) }) },
      }),
  },
  {
    name: 'read_run_log',
    title: 'Read the log of a run',
    description: 'Returns the last lines that a run has printed.',
    input: objectSchema(
      {
        run_id: RUN_ID,
        lines: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
        contains: text('Only lines that contain this text.', { maxLength: 256 }),
      },
      ['run_id'],
    ),
    requires: READS,
    async run({ run_id, lines = 100, contains }, api) {
      const query = { tail: Number(lines), ...(contains !== undefined && { grep: String(contains) }) };
      return { log: await api.call<string>({ method: 'GET', path: pathOf`/runs/${run_id}/logs`, query }) };
    },
  },
  {
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Ends an unfinished run. It cannot be continued afterwards.',
    input: objectSchema({ run_id: RUN_ID, reason: text('Why; recorded on the run.', { maxLength: 500 }) }, ['run_id']),
    changes: true,
    destructive: true,
    requires: SUBMITS,
    run: ({ run_id, ...body }, api) => api.call({ method: 'POST', path: pathOf`/runs/${run_id}/cancel`, body }),
  },
  {
    name: 'rerun_run',
    title: 'Run a run again',
    description:
      'Starts a new run from a finished one. Without from, a failed pipeline or graph repeats only what did not succeed.',
    input: objectSchema(
      {
        run_id: RUN_ID,
        from: text('The step, job or node from which to continue; earlier results are reused.'),
        input: { type: ANY_JSON, description: 'Another input, instead of the whole input of the first run: any JSON.' },
      },
      ['run_id'],
    ),
    changes: true,
    requires: SUBMITS,
    run: ({ run_id, ...body }, api) => api.call({ method: 'POST', path: pathOf`/runs/${run_id}/rerun`, body }),
  },
];
