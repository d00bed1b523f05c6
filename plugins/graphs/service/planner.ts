import { hash } from 'node:crypto';
import { BoundedMap, Errors, isServiceError, ServiceError, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import type { Queries } from '../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialStates } from '../../credentials/contract.ts';
import { compileInWorker, DOCUMENT_TOO_COSTLY, type DocumentWorkers } from '../../expressions/contract.ts';
import type { FlowPlan, Flows } from '../../flows/contract.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import { readJson } from '../../schema/contract.ts';
import { checkGraph } from '../domain/check-graph.ts';
import type { CheckParts } from '../domain/check-node.ts';
import { type GraphCredential, namedCredentials, trouble } from '../domain/credentials.ts';
import { type Faulty, Findings, MAX_LISTED } from '../domain/findings.ts';
import type { CheckedGraph } from '../domain/graph.ts';
import { planOf } from '../domain/lower.ts';
import { PreparedExpressions, RecordedExpressions } from '../domain/prepared-expressions.ts';
import { GraphErrors } from '../errors.ts';

export interface PlannerParts extends CheckParts {
  flows: Pick<Flows, 'check'>;
  workers: DocumentWorkers;
  states: CredentialStates;
}

/** A graph without faults, and what its runs are made of. */
export interface Planned {
  graph: CheckedGraph;
  plan: FlowPlan;
  named: readonly GraphCredential[];
}

/** Documents whose plans are kept: those that are started again and again. */
const MAX_KEPT = 500;
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;
/** Of credentials that cannot be used, in one sentence. */
const MAX_SHOWN = 20;

/** In documents that are longer, or have more expressions, these are compiled in a worker thread. */
const LIGHT_CHARACTERS = 64 * 1024;
const LIGHT_EXPRESSIONS = 300;
/** Each of them begins an expression, and is rare elsewhere. */
const EXPRESSION = /\$expr|\{\{/g;
/** The names whose uses the check asks for. */
const USED = ['nodes', 'item', 'index'];

function isLight(source: string): boolean {
  if (source.length > LIGHT_CHARACTERS) return false;
  let count = 0;
  for (const _one of source.matchAll(EXPRESSION)) if (++count > LIGHT_EXPRESSIONS) return false;
  return true;
}

const keyOf = (source: string, name: string | undefined): string => hash('sha256', `${name ?? ''}\n${source}`, 'hex');

/** Checks documents and makes plans of them. Keeps the plans of texts that it has seen. */
export class Planner {
  readonly #parts: () => PlannerParts;
  readonly #kept = new BoundedMap<string, Planned>(MAX_KEPT, {
    max_weight: MAX_KEPT_CHARACTERS,
    weigh: ({ graph }) => graph.nodes.length * 512,
  });

  /** Why large documents cannot be planned, for the transactions that have asked. */
  readonly #refused = new BoundedMap<string, ServiceError>(MAX_KEPT);

  constructor(parts: () => PlannerParts) {
    this.#parts = parts;
  }

  /** `name`: of the stored graph. */
  #check(document: unknown, name: string | undefined): Faulty | Planned {
    return this.#planOf(checkGraph(this.#parts(), document, name), name);
  }

  #planOf(checked: ReturnType<typeof checkGraph>, name: string | undefined): Faulty | Planned {
    if ('faults' in checked) return checked;
    const plan = planOf(checked.graph, name);
    try {
      this.#parts().flows.check(plan);
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      return faultsOf(error);
    }
    return { graph: checked.graph, plan, named: namedCredentials(checked.graph) };
  }

  /**
   * Checks the text of a graph, for use outside of transactions; `name`: of the stored one. Expressions of a large one are
   * compiled in a worker thread. Throws `document_too_costly` and what else `DocumentWorkers` throws.
   */
  async check(project_id: string, source: string, name: string | undefined): Promise<Faulty | Planned> {
    if (this.#kept.get(keyOf(source, name)) || isLight(source)) return this.checkText(project_id, source, name);
    const read = readText(source);
    if ('faults' in read) return read;
    await yieldToEventLoop();
    const recorded = new RecordedExpressions();
    checkGraph({ ...this.#parts(), expressions: recorded }, read.value, name);
    const { wanted } = recorded;
    const found = await compileInWorker(this.#parts().workers, project_id, wanted, USED);
    const expressions = new PreparedExpressions(wanted, found);
    const checked = checkGraph({ ...this.#parts(), expressions }, read.value, name);
    await yieldToEventLoop();
    return this.#keep(source, name, this.#planOf(checked, name));
  }

  /** The same for use in a transaction: what is not light is checked first, while the transaction is undone. */
  checkText(project_id: string, source: string, name: string | undefined): Faulty | Planned {
    const known = this.#kept.get(keyOf(source, name));
    if (known) return known;
    if (!isLight(source)) {
      const refusal = this.#refused.get(keyOf(source, name));
      if (refusal) throw refusal;
      throw Errors.unavailable('the graph is checked first', { outside: () => this.#ahead(project_id, source, name) });
    }
    const read = readText(source);
    if ('faults' in read) return read;
    return this.#keep(source, name, this.#check(read.value, name));
  }

  /** The next attempt meets what was found, and a refusal where it can be recorded. */
  async #ahead(project_id: string, source: string, name: string | undefined): Promise<void> {
    const key = keyOf(source, name);
    try {
      const checked = await this.check(project_id, source, name);
      if ('faults' in checked) this.#refused.set(key, this.#faulty(checked));
    } catch (error) {
      if (!isServiceError(error, DOCUMENT_TOO_COSTLY)) throw error;
      this.#refused.set(key, error);
    }
  }

  #keep(source: string, name: string | undefined, checked: Faulty | Planned): Faulty | Planned {
    if (!('faults' in checked)) this.#kept.set(keyOf(source, name), checked);
    return checked;
  }

  /** Throws `workflow_invalid` with all faults. */
  planned(checked: Faulty | Planned): Planned {
    if (!('faults' in checked)) return checked;
    throw this.#faulty(checked);
  }

  #faulty({ faults, count }: Faulty): ServiceError {
    const [first] = faults;
    const listed = count > faults.length ? `, of which ${faults.length} are listed` : '';
    const many = count === 1 ? 'a fault' : `${count} faults${listed}`;
    return GraphErrors.graphInvalid(`the graph has ${many}: ${first?.pointer || 'it'} ${first?.message}`, {
      errors: [...faults],
    });
  }

  /** The states of the credentials that the nodes name. */
  states(on: Pick<Queries, 'read'>, scope: ProjectScope, { named }: Planned): Promise<CredentialState[]> {
    return named.length === 0 ? Promise.resolve([]) : this.#parts().states.states(on, scope, named);
  }

  /** Throws `credential_wrong_kind`, `credential_missing` or `credential_conflict`, naming the nodes. */
  refuse(
    named: readonly GraphCredential[],
    states: readonly CredentialState[],
    refused: readonly CredentialState['state'][],
  ) {
    const bad = named.flatMap((one, i) => (refused.includes(states[i]!.state) ? [{ one, state: states[i]! }] : []));
    const [worst] = bad;
    if (!worst) return;
    const error = this.#parts().states.refusal(worst.one, worst.state);
    if (!error) return;
    const told = bad
      .slice(0, MAX_LISTED)
      .map(({ one, state }) => ({ pointer: one.pointer, message: trouble(one, state) ?? '' }));
    const shown = told.slice(0, MAX_SHOWN).map(({ message }) => message);
    if (bad.length > MAX_SHOWN) shown.push(`and ${bad.length - MAX_SHOWN} more`);
    throw new ServiceError(error.definition, shown.join('; '), { errors: told });
  }
}

/** The JSON of a text within the limits of documents. */
export function readText(source: string): { value: unknown } | Faulty {
  try {
    const read = readJson(Buffer.from(source));
    return 'not' in read ? { faults: [{ pointer: '', message: read.not }], count: 1 } : read;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return faultsOf(error);
  }
}

function faultsOf(error: ServiceError): Faulty {
  const findings = new Findings();
  findings.addAll(error.extras.errors ?? [{ pointer: '', message: error.message }]);
  return findings;
}
