import type { Database } from '../../../../kernel/contracts/index.ts';
import type { NamedRequest, ProjectScope } from '../../../platform/resources/contract.ts';
import type { CredentialKind } from '../../../secrets/credentials/contract.ts';
import { formatKinds } from '../domain/credentials.ts';
import type { GraphRequirements } from '../generated/graph-requirements.ts';
import type { Graphs } from './graphs.ts';
import type { GraphPlan, Planner } from './planner.ts';

export interface RequirementDeps {
  database: Pick<Database, 'read'>;
  graphs: Graphs;
  planner: Planner;
}

/** Reports whether the credentials that a graph names are usable now, with the resolver that checks use. */
export class Requirements {
  readonly #deps: RequirementDeps;

  constructor(deps: RequirementDeps) {
    this.#deps = deps;
  }

  /** Throws `not_found`, and `workflow_invalid` when the server no longer has one of the node types. */
  async reportGraph(
    { scope, name }: Pick<NamedRequest, 'scope' | 'name'>,
    version?: number,
  ): Promise<GraphRequirements> {
    const { graphs, planner } = this.#deps;
    const { source } = await graphs.find(scope, name, version);
    return this.#report(scope, planner.assertValid(await planner.check(scope, source, name)));
  }

  /** Reports on a document that is not saved. Throws `workflow_invalid`. */
  async reportDocument(scope: ProjectScope, document: unknown): Promise<GraphRequirements> {
    const { planner } = this.#deps;
    const source = JSON.stringify(document ?? null);
    return this.#report(scope, planner.assertValid(await planner.check(scope, source, undefined)));
  }

  async #report(scope: ProjectScope, planned: GraphPlan): Promise<GraphRequirements> {
    const { database, planner } = this.#deps;
    const states = await planner.states(database, scope, planned);
    const credentials = planned.named.map((named, i) => {
      const { state, ...more } = states[i]!;
      const entry = { node_id: named.node_id, name: named.name, state };
      if (state !== 'wrong_kind') return entry;
      return {
        ...entry,
        required_kind: formatKinds(named),
        stored_kind: (more as { stored_kind: string }).stored_kind,
      };
    });
    const ready = credentials.every(({ state }) => state === 'ok');
    return { ready, credentials, kinds: kindsByName(planned.named) };
  }
}

/**
 * Returns the kinds that every node which names a credential accepts. Names for which any kind will do are left out.
 */
function kindsByName(named: GraphPlan['named']): GraphRequirements['kinds'] {
  const kinds_by_name = new Map<string, readonly CredentialKind[]>();
  for (const { name, kinds = [] } of named) {
    if (kinds.length === 0) continue;
    kinds_by_name.set(name, kinds_by_name.get(name)?.filter((kind) => kinds.includes(kind)) ?? kinds);
  }
  return Object.fromEntries([...kinds_by_name].map(([name, kinds]) => [name, [...kinds]]));
}
