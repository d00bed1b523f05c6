import {
  type AccessControl,
  Errors,
  type Expressions,
  iso,
  parseDuration,
  type CachedReads,
  type Scope,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import type { RunFigures } from '../../../engine/runs/contract.ts';
import type { AuditedWrites, NamedRequest } from '../../../platform/resources/contract.ts';
import type { Scopes } from '../../../security/access/contract.ts';
import type { AgentServer, AgentStats } from '../../agents/contract.ts';
import { findFlowErrors, flowOf, type FunctionFlow, optionsOfFlow } from '../domain/flow.ts';
import {
  capabilityOf,
  FUNCTION_EXECUTOR,
  type FunctionRegistration,
  type ServedFunction,
  servedOf,
  versionCapability,
} from '../domain/registration.ts';
import { functionInUse, functionOptionsInvalid, functionsInvalid, functionUnknown } from '../errors.ts';
import type { FunctionDetails } from '../generated/function-details.ts';
import type { FunctionView } from '../generated/function.ts';
import type {
  FunctionKey,
  FunctionOwner,
  FunctionRow,
  FunctionTable,
  ListedFunction,
} from '../store/function-table.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** Where a worker registers its workflows: at the server of its process, or over HTTP. */
export interface FunctionRegistry {
  register(functions: readonly FunctionRegistration[]): Promise<void>;
}

export interface DirectoryDeps {
  table: FunctionTable;
  agents: AgentStats;
  runs: Pick<RunFigures, 'queued' | 'openRun'>;
  access: Pick<AccessControl, 'authorize'>;
  scopes: Pick<Scopes, 'hasSeveralOrgs'>;
  writes: Pick<AuditedWrites, 'remove'>;
  checks: SchemaChecks;
  expressions: Pick<Expressions, 'check'>;
}

/** Waiting runs of one version are counted up to this. */
const MAX_WAITING = 1000;
/** The IDs of so many of them are shown. */
const MAX_OLDEST = 5;

/** The workflows that workers serve. */
export class FunctionDirectory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Throws `functions_invalid` and `function_options_invalid`. */
  async register(owner: FunctionOwner, functions: readonly FunctionRegistration[]): Promise<void> {
    const names = new Set(functions.map(({ name }) => name));
    if (names.size < functions.length) throw functionsInvalid('two workflows have the same name');
    this.#assertOptions(functions);
    for (const { name, input, timeout } of functions) {
      await this.#deps.checks.assertSchema(owner, name, input);
      if (timeout !== undefined && parseDuration(timeout) <= 0)
        throw functionsInvalid(`the timeout of ${name} must be longer than 0s`);
      // A worker may register 60 large schemas.
      await yieldToEventLoop();
    }
    await this.#deps.table.register(owner, functions);
  }

  #assertOptions(functions: readonly FunctionRegistration[]): void {
    const errors = functions.flatMap((one, n) => {
      const flow = flowOf(one);
      return flow === undefined ? [] : findFlowErrors(this.#deps.expressions, flow, `/functions/${n}`);
    });
    if (errors.length === 0) return;
    const { pointer, message } = errors[0]!;
    const [, , n, ...member] = pointer.split('/');
    throw functionOptionsInvalid(`the option ${member.join('.')} of ${functions[Number(n)]!.name} ${message}`, {
      errors,
    });
  }

  /** The version with which a run begins now. Throws `function_unknown`. */
  async current(on: CachedReads, scope: FunctionOwner, name: string): Promise<FunctionRow> {
    const newest = await this.#deps.table.newest(on, scope, name);
    if (newest === undefined) throw functionUnknown(`no worker has registered the workflow ${JSON.stringify(name)}`);
    return newest;
  }

  /** The versions after one, and one more than `limit` when there are others. */
  async list(scope: Scope, after: FunctionKey | undefined, limit: number): Promise<FunctionView[]> {
    const rows = await this.#deps.table.list(scope, after, limit + 1);
    if (rows.length === 0) return [];
    const connected = await this.#deps.agents.readConnected(scope);
    const waiting = await this.#readWaiting(scope, connected);
    const workers = findWorkers(rows, connected);
    return rows.map((row) => toView(row, workers, waiting));
  }

  /** Throws `function_unknown`. */
  async read(on: CachedReads, scope: Scope, name: string): Promise<FunctionDetails> {
    const current = await this.current(on, scope, name);
    const rows = await this.#deps.table.versions(scope, name);
    const connected = await this.#deps.agents.readConnected(scope);
    const waiting = await this.#readWaiting(scope, connected, name);
    const workers = findWorkers(rows, connected);
    return {
      name,
      version: current.version,
      versions: current.versions,
      ...optionsOf(current),
      input: current.input === null ? undefined : (JSON.parse(current.input) as { [name: string]: unknown } | boolean),
      registrations: rows.map((row) => toView(row, workers, waiting)),
      waiting: waiting.map(({ version, run_ids }) => ({
        version,
        runs: run_ids.length,
        oldest: run_ids.slice(0, MAX_OLDEST),
      })),
    };
  }

  /**
   * Forgets a workflow, so that its name counts no longer. Throws `function_unknown`, `function_in_use` while a worker serves
   * it or a run of it is open, and `forbidden` for a workflow that the caller may not remove.
   */
  async remove(call: NamedRequest): Promise<void> {
    const { table, agents, runs, writes } = this.#deps;
    const { scope, name } = call;
    const owners = await this.#removableOwners(call);
    const capability = capabilityOf(name);
    const serving = (await agents.readConnected(scope)).find(({ capabilities }) => capabilities.includes(capability));
    if (serving !== undefined)
      throw functionInUse(`the worker ${serving.name} serves the workflow ${JSON.stringify(name)}`);
    const wants = (requires: readonly string[]) => requires.some((one) => servedOf(one)?.name === name);
    const open = await runs.openRun(scope.org_id, { executor: FUNCTION_EXECUTOR, wants });
    if (open !== undefined) {
      // Who may remove the workflow need not know about runs in other projects.
      const where = open.project_id === scope.project_id ? `: ${open.run_id}` : ' in another project of this org';
      throw functionInUse(`the workflow ${JSON.stringify(name)} has an open run${where}`);
    }
    if (owners.length === 0)
      throw Errors.forbidden(
        `the server's built-in agent registered the workflow ${JSON.stringify(name)} for all orgs, so no org can remove it`,
      );
    await writes.remove(call, 'function.delete', { noun: 'function', remove: (tx) => table.remove(tx, owners, name) });
  }

  /**
   * Those whose registrations the caller removes. What the built-in agent serves is for all orgs, so an org may remove it only
   * if there is no other one.
   */
  async #removableOwners({ scope, name, by }: NamedRequest): Promise<FunctionOwner[]> {
    const { table, access, scopes } = this.#deps;
    const owners = await table.owners(scope, name);
    if (owners.length === 0) throw functionUnknown(`no worker has registered the workflow ${JSON.stringify(name)}`);
    const of_org = owners.filter(({ org_id }) => org_id !== '');
    const removable = of_org.length < owners.length && !(await scopes.hasSeveralOrgs()) ? owners : of_org;
    if (by.principal && removable.some(({ project_id }) => project_id === ''))
      await access.authorize(by.principal, { kind: 'org', role: 'owner' }, { org: scope.org });
    return removable;
  }

  /** Runs whose function no connected agent serves, of one workflow or of all. */
  async #readWaiting(scope: Scope, connected: Connected, name?: string): Promise<Waiting[]> {
    const served = new Set(connected.flatMap(({ capabilities }) => capabilities));
    const isMissing = (one: string): boolean => {
      const of = servedOf(one);
      return of !== undefined && !served.has(one) && (name === undefined || of.name === name);
    };
    const work = { executor: FUNCTION_EXECUTOR, wants: (requires: readonly string[]) => requires.some(isMissing) };
    const queued = await this.#deps.runs.queued(scope, work, MAX_WAITING);
    const waiting = new Map<string, Waiting>();
    for (const { requires, run_ids } of queued) {
      const capability = requires.find(isMissing)!;
      const before = waiting.get(capability)?.run_ids ?? [];
      // Run IDs are in the order of time.
      const all = [...before, ...run_ids].toSorted().slice(0, MAX_WAITING);
      waiting.set(capability, { ...servedOf(capability)!, run_ids: all });
    }
    return [...waiting.values()];
  }
}

type Connected = Awaited<ReturnType<AgentStats['readConnected']>>;

interface Waiting extends ServedFunction {
  run_ids: string[];
}

const optionsOf = ({ timeout, concurrency, flow }: Pick<FunctionRow, 'timeout' | 'concurrency' | 'flow'>) => ({
  timeout: timeout ?? undefined,
  ...optionsOfFlow(flow === null ? undefined : (JSON.parse(flow) as FunctionFlow), concurrency ?? undefined),
});

/** The names of the agents that serve each version. Each capability is read once: agents have thousands of them. */
function findWorkers(rows: readonly FunctionKey[], connected: Connected): Map<string, string[]> {
  const workers = new Map(rows.map(({ name, version }): [string, string[]] => [versionCapability(name, version), []]));
  for (const agent of connected)
    for (const capability of new Set(agent.capabilities)) workers.get(capability)?.push(agent.name);
  return workers;
}

function toView(
  row: ListedFunction,
  workers: ReadonlyMap<string, string[]>,
  waiting: readonly Waiting[],
): FunctionView {
  const { name, version, versions, registered_at } = row;
  const current = row.is_current === 1;
  const waits = waiting.filter(
    (one) => one.name === name && (one.version === undefined ? current : one.version === version),
  );
  return {
    name,
    version,
    versions,
    current,
    ...optionsOf(row),
    workers: workers.get(versionCapability(name, version)) ?? [],
    waiting: Math.min(
      MAX_WAITING,
      waits.reduce((sum, { run_ids }) => sum + run_ids.length, 0),
    ),
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
