import { hash } from 'node:crypto';
import { BoundedMap, isServiceError, ServiceError } from '../../../kernel/contracts/index.ts';
import type { Queries } from '../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialStates } from '../../credentials/contract.ts';
import type { FlowPlan, Flows } from '../../flows/contract.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import { readJson } from '../../schema/contract.ts';
import { checkGraph } from '../domain/check-graph.ts';
import type { CheckParts } from '../domain/check-node.ts';
import { type GraphCredential, namedCredentials, trouble } from '../domain/credentials.ts';
import { type Faulty, Findings, MAX_LISTED } from '../domain/findings.ts';
import type { CheckedGraph } from '../domain/graph.ts';
import { planOf } from '../domain/lower.ts';
import { GraphErrors } from '../errors.ts';

export interface PlannerParts extends CheckParts {
  flows: Pick<Flows, 'check'>;
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

/** Checks documents and makes plans of them. Keeps the plans of texts that it has seen. */
export class Planner {
  readonly #parts: () => PlannerParts;
  readonly #kept = new BoundedMap<string, Planned>(MAX_KEPT, {
    max_weight: MAX_KEPT_CHARACTERS,
    weigh: ({ graph }) => graph.nodes.length * 512,
  });

  constructor(parts: () => PlannerParts) {
    this.#parts = parts;
  }

  /** `name`: of the stored graph. */
  check(document: unknown, name: string | undefined): Faulty | Planned {
    const checked = checkGraph(this.#parts(), document, name);
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

  /** The same for the text of a document. */
  checkText(source: string, name: string | undefined): Faulty | Planned {
    const key = hash('sha256', `${name ?? ''}\n${source}`, 'hex');
    const known = this.#kept.get(key);
    if (known) return known;
    const read = readText(source);
    if ('faults' in read) return read;
    const checked = this.check(read.value, name);
    if (!('faults' in checked)) this.#kept.set(key, checked);
    return checked;
  }

  /** Throws `workflow_invalid` with all faults. */
  planned(checked: Faulty | Planned): Planned {
    if (!('faults' in checked)) return checked;
    const { faults, count } = checked;
    const [first] = faults;
    const listed = count > faults.length ? `, of which ${faults.length} are listed` : '';
    const many = count === 1 ? 'a fault' : `${count} faults${listed}`;
    throw GraphErrors.graphInvalid(`the graph has ${many}: ${first?.pointer || 'it'} ${first?.message}`, {
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
