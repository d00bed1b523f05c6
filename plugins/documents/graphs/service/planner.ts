import { hash } from 'node:crypto';
import {
  BoundedMap,
  Errors,
  type Expressions,
  isServiceError,
  ServiceError,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import type { Queries } from '../../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialStates } from '../../../secrets/credentials/contract.ts';
import {
  compileInWorker,
  compileInline,
  DOCUMENT_TOO_COSTLY,
  type DocumentWorkers,
  type WorkerScope,
} from '../../../platform/expressions/contract.ts';
import type { Variables } from '../../../secrets/variables/contract.ts';
import type { FlowPlan, Flows } from '../../../engine/flows/contract.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import { readJson, suggestName } from '../../../platform/schema/contract.ts';
import { checkGraph } from '../domain/check-graph.ts';
import type { CheckDeps } from '../domain/check-node.ts';
import { type GraphCredential, namedCredentials, describeProblem } from '../domain/credentials.ts';
import { type InvalidGraph, Findings, MAX_LISTED } from '../domain/findings.ts';
import { type CheckedGraph, everyNode } from '../domain/graph.ts';
import { toFlowPlan } from '../domain/lower.ts';
import type { UnknownVariable } from '../domain/warnings.ts';
import { PreparedExpressions, ExpressionRecorder } from '../domain/prepared-expressions.ts';
import { GraphErrors } from '../errors.ts';

export interface PlannerDeps extends CheckDeps {
  flows: Pick<Flows, 'check'>;
  workers: DocumentWorkers;
  states: CredentialStates;
  variables: Variables;
}

/** A valid graph with its plan and its credentials. */
export interface GraphPlan {
  graph: CheckedGraph;
  plan: FlowPlan;
  named: readonly GraphCredential[];
}

/** The number of plans that are cached, for documents that start often. */
const MAX_CACHED_PLANS = 500;
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;
/** One message names at most this many unusable credentials. */
const MAX_LISTED_PROBLEMS = 20;

/** Longer documents, and documents with more expressions, are compiled in a worker thread. */
const MAX_INLINE_CHARACTERS = 64 * 1024;
const MAX_INLINE_EXPRESSIONS = 300;
/** Matches what begins an expression and is rare elsewhere. */
const EXPRESSION = /\$expr|\{\{/g;
/** The names whose uses the check reads. */
const USED = ['nodes', 'item', 'index', 'input', 'inputs', 'vars'];

function isSmall(source: string): boolean {
  if (source.length > MAX_INLINE_CHARACTERS) return false;
  let count = 0;
  for (const _one of source.matchAll(EXPRESSION)) if (++count > MAX_INLINE_EXPRESSIONS) return false;
  return true;
}

const cacheKey = (source: string, name: string | undefined, revision: number): string =>
  hash('sha256', `${revision} ${name ?? ''}\n${source}`, 'hex');

const countNodes = (graph: CheckedGraph): number => [...everyNode(graph)].length;

/** Checks documents and lowers them to plans. Caches the plans of the texts that it has seen. */
export class Planner {
  readonly #deps: () => PlannerDeps;
  readonly #cache = new BoundedMap<string, GraphPlan>(MAX_CACHED_PLANS, {
    max_weight: MAX_CACHED_CHARACTERS,
    weigh: ({ graph }) => countNodes(graph) * 512,
  });

  /** Why large documents cannot be planned. The transaction that asked finds the reason here when it is retried. */
  readonly #rejections = new BoundedMap<string, ServiceError>(MAX_CACHED_PLANS);

  constructor(deps: () => PlannerDeps) {
    this.#deps = deps;
  }

  /** A plan is valid for the node types that it was made for. */
  #key(source: string, name: string | undefined): string {
    return cacheKey(source, name, this.#deps().types.revision());
  }

  /** `name` is the name of the stored graph, if there is one. */
  #check(document: unknown, name: string | undefined, expressions: Expressions): InvalidGraph | GraphPlan {
    return this.#toPlan(checkGraph({ ...this.#deps(), expressions }, document, name), name);
  }

  /** Checks a text in the event loop. Returns undefined for one that takes too long there. */
  #checkInline(source: string, name: string | undefined): InvalidGraph | GraphPlan | undefined {
    if (!isSmall(source)) return undefined;
    const read = readText(source);
    if ('errors' in read) return read;
    const checked = compileInline(this.#deps().expressions, (limited) => this.#check(read.value, name, limited));
    return checked && this.#cachePlan(source, name, checked);
  }

  #toPlan(checked: ReturnType<typeof checkGraph>, name: string | undefined): InvalidGraph | GraphPlan {
    if ('errors' in checked) return checked;
    const plan = toFlowPlan(checked.graph, name);
    try {
      this.#deps().flows.check(plan);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      return toInvalidGraph(error);
    }
    return { graph: checked.graph, plan, named: namedCredentials(checked.graph) };
  }

  /**
   * Checks the text of a graph, for use outside of transactions; `name`: of the stored one. Expressions of a large one are
   * compiled in a worker thread. Throws `document_too_costly` and what else `DocumentWorkers` throws.
   */
  async check(scope: WorkerScope, source: string, name: string | undefined): Promise<InvalidGraph | GraphPlan> {
    const plan = this.#cache.get(this.#key(source, name)) ?? this.#checkInline(source, name);
    if (plan) return plan;
    const read = readText(source);
    if ('errors' in read) return read;
    await yieldToEventLoop();
    const recorded = new ExpressionRecorder();
    checkGraph({ ...this.#deps(), expressions: recorded }, read.value, name);
    const { sources } = recorded;
    // A document near the limit has tens of thousands of expressions: each pass over them takes a turn of its own.
    await yieldToEventLoop();
    const compiled = await compileInWorker(this.#deps().workers, scope, sources, USED);
    await yieldToEventLoop();
    const expressions = new PreparedExpressions(sources, compiled);
    await yieldToEventLoop();
    const checked = checkGraph({ ...this.#deps(), expressions }, read.value, name);
    await yieldToEventLoop();
    return this.#cachePlan(source, name, this.#toPlan(checked, name));
  }

  /**
   * Checks a text inside a transaction. A large document is first checked outside, while the transaction is rolled back
   * and retried.
   */
  checkText(scope: WorkerScope, source: string, name: string | undefined): InvalidGraph | GraphPlan {
    const key = this.#key(source, name);
    const plan = this.#cache.get(key);
    if (plan) return plan;
    const rejection = this.#rejections.get(key);
    if (rejection) throw rejection;
    const checked = this.#checkInline(source, name);
    if (checked) return checked;
    throw Errors.unavailable('the graph must be checked first', {
      outside: () => this.#checkOutside(scope, source, name),
    });
  }

  /** Checks a large document so that the retried transaction finds the result, or a rejection that it can record. */
  async #checkOutside(scope: WorkerScope, source: string, name: string | undefined): Promise<void> {
    const key = this.#key(source, name);
    try {
      const checked = await this.check(scope, source, name);
      if ('errors' in checked) this.#rejections.set(key, this.#toError(checked));
    } catch (error) {
      if (!isServiceError(error, DOCUMENT_TOO_COSTLY)) throw error;
      this.#rejections.set(key, error);
    }
  }

  #cachePlan(source: string, name: string | undefined, checked: InvalidGraph | GraphPlan): InvalidGraph | GraphPlan {
    if (!('errors' in checked)) this.#cache.set(this.#key(source, name), checked);
    return checked;
  }

  /** Returns a valid plan. Throws `workflow_invalid` with all errors. */
  assertValid(checked: InvalidGraph | GraphPlan): GraphPlan {
    if (!('errors' in checked)) return checked;
    throw this.#toError(checked);
  }

  #toError({ errors, count }: InvalidGraph): ServiceError {
    const [first] = errors;
    const listed = count > errors.length ? `, of which ${errors.length} are listed` : '';
    const count_text = count === 1 ? 'an error' : `${count} errors${listed}`;
    return GraphErrors.graphInvalid(`the graph has ${count_text}: ${first?.pointer || 'it'} ${first?.message}`, {
      errors: [...errors],
    });
  }

  /** The states of the credentials that the nodes name. */
  states(on: Pick<Queries, 'read'>, scope: ProjectScope, { named }: GraphPlan): Promise<CredentialState[]> {
    return named.length === 0 ? Promise.resolve([]) : this.#deps().states.states(on, scope, named);
  }

  /** The variables that expressions read and that neither the project nor its org has. */
  async unknownVariables(
    on: Pick<Queries, 'read'>,
    scope: ProjectScope,
    { graph: { variables } }: Pick<GraphPlan, 'graph'>,
  ): Promise<UnknownVariable[]> {
    if (variables.size === 0) return [];
    const names = await this.#deps().variables.namesOf(on, scope);
    const unknown = [...variables].filter(([name]) => !names.includes(name));
    return unknown.map(([name, pointer]) => ({ name, pointer, similar: suggestName(name, names) }));
  }

  /** The credentials that cannot be used, with the code that a submission is rejected with; at most as many as are listed. */
  findUnusable(named: readonly GraphCredential[], states: readonly CredentialState[]) {
    return named
      .flatMap((one, i) => {
        const state = states[i]!;
        const error = this.#deps().states.toError(one, state);
        return error
          ? [{ state, pointer: one.pointer, message: describeProblem(one, state) ?? '', code: error.code }]
          : [];
      })
      .slice(0, MAX_LISTED);
  }

  /** Throws `credential_wrong_kind`, `credential_missing` or `credential_conflict`, naming the nodes. */
  assertUsable(
    named: readonly GraphCredential[],
    states: readonly CredentialState[],
    rejected_states: readonly CredentialState['state'][],
  ) {
    const unusable = named.flatMap((one, i) =>
      rejected_states.includes(states[i]!.state) ? [{ one, state: states[i]! }] : [],
    );
    const [worst] = unusable;
    if (!worst) return;
    const error = this.#deps().states.toError(worst.one, worst.state);
    if (!error) return;
    const listed = unusable
      .slice(0, MAX_LISTED)
      .map(({ one, state }) => ({ pointer: one.pointer, message: describeProblem(one, state) ?? '' }));
    const messages = listed.slice(0, MAX_LISTED_PROBLEMS).map(({ message }) => message);
    if (unusable.length > MAX_LISTED_PROBLEMS) messages.push(`and ${unusable.length - MAX_LISTED_PROBLEMS} more`);
    throw new ServiceError(error.definition, messages.join('; '), { errors: listed });
  }
}

/** The JSON of a text within the limits of documents. */
export function readText(source: string): { value: unknown } | InvalidGraph {
  try {
    const read = readJson(Buffer.from(source));
    return 'not' in read ? { errors: [{ pointer: '', message: read.not }], count: 1 } : read;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return toInvalidGraph(error);
  }
}

function toInvalidGraph(error: ServiceError): InvalidGraph {
  const findings = new Findings();
  findings.addAll(error.extras.errors ?? [{ pointer: '', message: error.message }]);
  return findings;
}
