import { iso, parseDuration, type Queries, type Scope, yieldToEventLoop } from '../../../../kernel/contracts/index.ts';
import type { AgentServer, AgentStats } from '../../agents/contract.ts';
import { type FunctionRegistration, versionCapability } from '../domain/registration.ts';
import { functionsInvalid, functionUnknown } from '../errors.ts';
import type { FunctionView } from '../generated/function.ts';
import type {
  FunctionKey,
  FunctionOwner,
  FunctionRow,
  FunctionTable,
  ListedFunction,
} from '../store/function-table.ts';
import { checkInputSchema } from './input-schema.ts';

/** Where a worker registers its workflows: at the server of its process, or over HTTP. */
export interface FunctionRegistry {
  register(functions: readonly FunctionRegistration[]): Promise<void>;
}

export interface DirectoryDeps {
  table: FunctionTable;
  agents: AgentStats;
}

/** The workflows that workers serve. */
export class FunctionDirectory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Throws `functions_invalid`. */
  async register(owner: FunctionOwner, functions: readonly FunctionRegistration[]): Promise<void> {
    const names = new Set(functions.map(({ name }) => name));
    if (names.size < functions.length) throw functionsInvalid('two workflows have the same name');
    for (const { name, input, timeout } of functions) {
      checkInputSchema(name, input);
      if (timeout !== undefined && parseDuration(timeout) <= 0)
        throw functionsInvalid(`the timeout of ${name} must be longer than 0s`);
      // A worker may register 60 large schemas.
      await yieldToEventLoop();
    }
    await this.#deps.table.register(owner, functions);
  }

  /** The version with which a run begins now. Throws `function_unknown`. */
  async current(on: Pick<Queries, 'read'>, scope: FunctionOwner, name: string): Promise<FunctionRow> {
    const newest = await this.#deps.table.newest(on, scope, name);
    if (newest === undefined) throw functionUnknown(`no worker has registered the workflow ${JSON.stringify(name)}`);
    return newest;
  }

  /** The versions after one, and one more than `limit` when there are others. */
  async list(scope: Scope, after: FunctionKey | undefined, limit: number): Promise<FunctionView[]> {
    const rows = await this.#deps.table.list(scope, after, limit + 1);
    const connected = await this.#deps.agents.readConnected(scope);
    return rows.map((row) => toView(row, connected));
  }
}

type Connected = Awaited<ReturnType<AgentStats['readConnected']>>;

function toView(
  { name, version, versions, timeout, registered_at }: ListedFunction,
  connected: Connected,
): FunctionView {
  const capability = versionCapability(name, version);
  return {
    name,
    version,
    versions,
    timeout: timeout ?? undefined,
    workers: connected.filter(({ capabilities }) => capabilities.includes(capability)).map((agent) => agent.name),
    registered_at: iso(registered_at),
  };
}

/** Registers at the server of this process, for everything that its built-in agent serves. */
export const inProcessRegistry = (directory: () => FunctionDirectory): FunctionRegistry => ({
  register: (functions) => directory().register({ org_id: '', project_id: '' }, functions),
});

/** Registers with the token of the agent. */
export const httpRegistry = (server: () => AgentServer): FunctionRegistry => ({
  async register(functions) {
    const body = Buffer.from(JSON.stringify({ functions }));
    await server().send({
      method: 'PUT',
      path: '/api/v1/agents/functions',
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
      content: (async function* () {
        yield body;
      })(),
    });
  },
});
