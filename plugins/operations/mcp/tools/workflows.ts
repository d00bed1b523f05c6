import { isServiceError, type JsonSchema } from '../../../../kernel/contracts/index.ts';
import { INPUT, submit, SUBMITS } from './runs.ts';
import { objectSchema, text, type Tool, type ToolApi } from './tool.ts';

/** Workflows of each kind on a page. */
const PAGE = 25;
/** Some clients reject longer names of tools. */
const MAX_NAME = 64;

/** The errors of a workflow that was listed, and that no run can start now. */
const UNREADABLE = ['not_found', 'function_unknown', 'function_untrusted', 'workflow_invalid'];

interface NamedWorkflow {
  kind: 'graph' | 'function';
  name: string;
  title?: string;
  input?: JsonSchema | boolean;
}

/** The answer of `POST …/inputs`, which every kind of workflow has. */
interface DeclaredInputs {
  schema?: JsonSchema | boolean;
}

interface WorkflowPage {
  workflows: NamedWorkflow[];
  next_cursor?: string;
}

type Page<M extends string, T> = Record<M, T[]> & { next_cursor?: string };

/** The cursors of both lists. A list that is read to its end has none. */
interface Cursors {
  graphs?: string;
  functions?: string;
}

/** Lists the workflows that can be run by name, a page of graphs and of functions at a time. */
export async function listWorkflows(api: ToolApi, cursor: string | undefined): Promise<WorkflowPage> {
  const from = cursor === undefined ? undefined : readCursor(cursor);
  const [graphs, functions] = await Promise.all([
    from && from.graphs === undefined ? undefined : readGraphs(api, from?.graphs),
    from && from.functions === undefined ? undefined : readFunctions(api, from?.functions),
  ]);
  const next: Cursors = {
    ...(graphs?.next_cursor !== undefined && { graphs: graphs.next_cursor }),
    ...(functions?.next_cursor !== undefined && { functions: functions.next_cursor }),
  };
  return {
    workflows: [...(functions?.items ?? []), ...(graphs?.items ?? [])],
    ...(Object.keys(next).length > 0 && { next_cursor: Buffer.from(JSON.stringify(next)).toString('base64url') }),
  };
}

/** A cursor that somebody made up begins at the start: the lists reject what is in it. */
function readCursor(cursor: string): Cursors {
  try {
    const { graphs, functions } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<string, unknown>;
    return {
      ...(typeof graphs === 'string' && { graphs }),
      ...(typeof functions === 'string' && { functions }),
    };
  } catch {
    return { graphs: cursor };
  }
}

const queryOf = (cursor: string | undefined) => ({ limit: PAGE, ...(cursor !== undefined && { cursor }) });

async function readGraphs(api: ToolApi, cursor: string | undefined) {
  type Entry = { name: string; title?: string };
  const page = await api.call<Page<'graphs', Entry>>({ method: 'GET', path: '/graphs', query: queryOf(cursor) });
  const items = await Promise.all(page.graphs.map((graph) => describe(api, 'graph', graph)));
  return { items, next_cursor: page.next_cursor };
}

async function readFunctions(api: ToolApi, cursor: string | undefined) {
  type Entry = { name: string; current: boolean };
  const page = await api.call<Page<'functions', Entry>>({ method: 'GET', path: '/functions', query: queryOf(cursor) });
  const names = [...new Set(page.functions.filter(({ current }) => current).map(({ name }) => name))];
  const items = await Promise.all(names.map((name) => describe(api, 'function', { name })));
  return { items, next_cursor: page.next_cursor };
}

/** A workflow of a list. One that no run can start now, such as one that was just removed, is listed without its inputs. */
async function describe(
  api: ToolApi,
  kind: NamedWorkflow['kind'],
  { name, title }: { name: string; title?: string },
): Promise<NamedWorkflow> {
  const input = await readInputs(api, kind, name).catch((error: unknown) => {
    if (UNREADABLE.some((code) => isServiceError(error, code))) return undefined;
    throw error;
  });
  return { kind, name, ...(title && { title }), ...(input !== undefined && { input }) };
}

/** The schema of the inputs that a workflow declares. Throws the errors of a submit for one that does not exist. */
async function readInputs(api: ToolApi, kind: NamedWorkflow['kind'], name: string): Promise<DeclaredInputs['schema']> {
  const body = { [kind]: name };
  const { schema } = await api.call<DeclaredInputs>({ method: 'POST', path: '/inputs', body });
  return schema;
}

export const workflowTools: readonly Tool[] = [
  {
    name: 'list_workflows',
    title: 'List workflows',
    description:
      'Lists the workflows that run_workflow can start, with the JSON Schema of their input where they declare one.',
    input: objectSchema({ cursor: text('next_cursor of the previous page.', { maxLength: 4096 }) }),
    requires: { method: 'GET', path: '/graphs' },
    run: ({ cursor }, api) => listWorkflows(api, cursor as string | undefined),
  },
];

/** A tool for each workflow. Its arguments are the input of the run. */
export const toolsOf = (workflows: readonly NamedWorkflow[]): Tool[] =>
  workflows.flatMap((workflow) => {
    const name = `${workflow.kind}_${workflow.name}`;
    return name.length > MAX_NAME ? [] : [toolOf(name, workflow)];
  });

function toolOf(tool: string, { kind, name, title, input }: NamedWorkflow): Tool {
  const is_object = typeof input === 'object' && input.type === 'object';
  return {
    name: tool,
    title: title ?? name,
    description:
      `Runs the ${kind} ${name} as a durable workflow and waits a while for it to end. The run continues after this call ` +
      'returns; get_run shows its result.',
    input: is_object ? input : objectSchema({ input: typeof input === 'object' ? input : INPUT }),
    changes: true,
    requires: SUBMITS,
    run: (args, api) => {
      const run_input = is_object ? args : args.input;
      return submit(api, { [kind]: name, ...(run_input !== undefined && { input: run_input }) }, {});
    },
  };
}

const WORKFLOW_TOOL = /^(graph|function)_(.+)$/;

/** The tool of one workflow, found by its name; undefined for any other name. */
export async function findWorkflowTool(api: ToolApi, tool: string): Promise<Tool | undefined> {
  const [, kind, name = ''] = WORKFLOW_TOOL.exec(tool) ?? [];
  if (kind !== 'graph' && kind !== 'function') return undefined;
  const input = await readInputs(api, kind, name);
  return toolOf(tool, { kind, name, ...(input !== undefined && { input }) });
}
