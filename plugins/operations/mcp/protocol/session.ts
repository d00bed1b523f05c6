import type { Readable } from 'node:stream';
import {
  type Database,
  Errors,
  type HttpReply,
  type HttpRequest,
  ServiceError,
} from '../../../../kernel/contracts/index.ts';
import { type Audit, auditSource } from '../../../platform/audit/contract.ts';
import type { Operations } from '../../../platform/http/contract.ts';
import { compile, writeJsonYielding } from '../../../platform/schema/contract.ts';
import { eventTools, questionTools } from '../tools/people-and-events.ts';
import { runTools } from '../tools/runs.ts';
import type { Tool, ToolApi, ToolCall } from '../tools/tool.ts';
import { findWorkflowTool, listWorkflows, toolsOf, workflowTools } from '../tools/workflows.ts';

/** Models take little more than this at once; the rest of a result is cut off. */
const MAX_RESULT = 64 * 1024;

/** The tools that every project has. */
const TOOLS: readonly Tool[] = [...workflowTools, ...runTools, ...questionTools, ...eventTools];

export interface ToolView {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
}

interface CallOutcome {
  result: ToolResult | undefined;
  /** `ok`, or the code of the error. */
  outcome: string;
}

export interface SessionDeps {
  operations: Operations;
  database: Pick<Database, 'transaction'>;
  audit: Pick<Audit, 'record'>;
}

const RUN_ID = /^run_[0-9A-Za-z]{1,40}$/;

/** The tools of one project, as one caller sees them. A session lasts for one request. */
export class McpSession {
  readonly #deps: SessionDeps;
  readonly #request: HttpRequest;
  readonly #scoped: string;
  readonly #read_only: boolean;
  readonly #api: ToolApi = { call: <T>(call: ToolCall) => this.#call<T>(call) };

  constructor(deps: SessionDeps, request: HttpRequest) {
    const { org = '', project = '' } = request.params;
    this.#deps = deps;
    this.#request = request;
    this.#scoped = `/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}`;
    this.#read_only = request.query.read_only === 'true';
  }

  /** Lists the tools that the caller may use: those of every project on the first page, and a page of its workflows. */
  async list(cursor: string | undefined): Promise<{ tools: ToolView[]; nextCursor?: string }> {
    const offered = cursor === undefined ? await this.#offered(TOOLS) : [];
    const page = this.#read_only ? { workflows: [] } : await listWorkflows(this.#api, cursor);
    const tools = [...offered, ...(await this.#offered(toolsOf(page.workflows)))];
    const next = 'next_cursor' in page ? page.next_cursor : undefined;
    return { tools: tools.map(viewOf), ...(next !== undefined && { nextCursor: next }) };
  }

  /**
   * Runs a tool, and records the call. Errors that the model can act on are results; undefined means that there is no such
   * tool.
   */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult | undefined> {
    const { result, outcome } = await this.#run(name, args);
    await this.record(name, outcome, args);
    return result;
  }

  /** Records a call: its tool, its outcome and the run that it names. Its other arguments may be confidential. */
  async record(name: string, outcome: string, { run_id }: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { database, audit } = this.#deps;
    const { org_id, project_id } = this.#request.scope;
    const detail = typeof run_id === 'string' && RUN_ID.test(run_id) ? `${outcome} ${run_id}` : outcome;
    const entry = { org_id, project_id, action: 'mcp.call', subject: name, detail };
    await database.transaction((tx) => audit.record(tx, { ...auditSource(this.#request), ...entry }));
  }

  async #run(name: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> {
    try {
      const everywhere = TOOLS.find((one) => one.name === name);
      const tool = everywhere ?? (await findWorkflowTool(this.#api, name));
      if (!tool || (this.#read_only && tool.changes)) return { result: undefined, outcome: 'unknown_tool' };
      // The submit checks the input of a workflow.
      const errors = everywhere ? compile(everywhere.input)(args) : [];
      if (errors.length > 0) throw Errors.invalidRequest("the tool's arguments are not valid", { errors });
      return { result: await toResult(await tool.run(args, this.#api)), outcome: 'ok' };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message: detail, next, extras } = error;
      const problem = await toResult({ code, detail, next, ...(extras.errors && { errors: extras.errors }) });
      return { result: { ...problem, isError: true }, outcome: code };
    }
  }

  async #offered(tools: readonly Tool[]): Promise<Tool[]> {
    const may = new Map<string, Promise<boolean>>();
    const allows = ({ method, path }: Tool['requires']) => {
      const key = `${method} ${path}`;
      const permission =
        may.get(key) ?? this.#deps.operations.allows({ method, path: `${this.#scoped}${path}` }, this.#request);
      may.set(key, permission);
      return permission;
    };
    const candidates = tools.filter((tool) => !(this.#read_only && tool.changes));
    const allowed = await Promise.all(candidates.map((tool) => allows(tool.requires)));
    return candidates.filter((_, index) => allowed[index]);
  }

  async #call<T>(call: ToolCall): Promise<T> {
    const reply = await this.#deps.operations.call({ ...call, path: `${this.#scoped}${call.path}` }, this.#request);
    return (await contentOf(reply)) as T;
  }
}

async function contentOf(reply: HttpReply): Promise<unknown> {
  if ('text' in reply) return reply.text;
  if ('stream' in reply) return readStart(reply.stream);
  return reply.json;
}

/** Reads as much of a stream as a result can hold, and ends it. */
async function readStart(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk as Buffer | string));
    bytes += chunks.at(-1)!.length;
    if (bytes > MAX_RESULT) break;
  }
  return Buffer.concat(chunks).toString();
}

const viewOf = ({ name, title, description, input, changes = false, destructive = false }: Tool): ToolView => ({
  name,
  title,
  description,
  inputSchema: input,
  annotations: { readOnlyHint: !changes, destructiveHint: destructive, openWorldHint: changes },
});

async function toResult(value: unknown): Promise<ToolResult> {
  const written = await writeJsonYielding(value ?? {});
  const text = 'json' in written ? written.json.toString() : '';
  if (text.length <= MAX_RESULT) return { content: [{ type: 'text', text }] };
  const note = `… (the result is ${text.length} characters long; this is its beginning)`;
  return { content: [{ type: 'text', text: `${text.slice(0, MAX_RESULT)}\n${note}` }] };
}
