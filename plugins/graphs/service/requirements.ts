import type { Database } from '../../../kernel/contracts/index.ts';
import type { NamedCall, ProjectScope } from '../../resources/contract.ts';
import type { CredentialKind } from '../../credentials/contract.ts';
import { kindsOf } from '../domain/credentials.ts';
import type { GraphRequirements } from '../generated/graph-requirements.ts';
import type { Graphs } from './graphs.ts';
import type { Planned, Planner } from './planner.ts';

export interface RequirementParts {
  database: Pick<Database, 'read'>;
  graphs: Graphs;
  planner: Planner;
}

/** Tells whether what a graph names is there now, by the resolver of the check. */
export class Requirements {
  readonly #parts: RequirementParts;

  constructor(parts: RequirementParts) {
    this.#parts = parts;
  }

  /** Throws `not_found`, and `workflow_invalid` when a type of node is not there any more. */
  async of({ scope, name }: Pick<NamedCall, 'scope' | 'name'>, version?: number): Promise<GraphRequirements> {
    const { graphs, planner } = this.#parts;
    const { source } = await graphs.find(scope, name, version);
    return this.#report(scope, planner.planned(await planner.check(scope.project_id, source, name)));
  }

  /** The same of a document that is not saved. Throws `workflow_invalid`. */
  async ofDocument(scope: ProjectScope, document: unknown): Promise<GraphRequirements> {
    const { planner } = this.#parts;
    const source = JSON.stringify(document ?? null);
    return this.#report(scope, planner.planned(await planner.check(scope.project_id, source, undefined)));
  }

  async #report(scope: ProjectScope, planned: Planned): Promise<GraphRequirements> {
    const { database, planner } = this.#parts;
    const states = await planner.states(database, scope, planned);
    const credentials = planned.named.map((named, i) => {
      const { state, ...more } = states[i]!;
      const entry = { node_id: named.node_id, name: named.name, state };
      if (state !== 'wrong_kind') return entry;
      return { ...entry, required_kind: kindsOf(named), stored_kind: (more as { stored_kind: string }).stored_kind };
    });
    const ready = credentials.every(({ state }) => state === 'ok');
    return { ready, credentials, kinds: kindsByName(planned.named) };
  }
}

/** The kinds that do for every node that names it; names for which any does are left out. */
function kindsByName(named: Planned['named']): GraphRequirements['kinds'] {
  const found = new Map<string, readonly CredentialKind[]>();
  for (const { name, kinds = [] } of named) {
    if (kinds.length === 0) continue;
    found.set(name, found.get(name)?.filter((kind) => kinds.includes(kind)) ?? kinds);
  }
  return Object.fromEntries([...found].map(([name, kinds]) => [name, [...kinds]]));
}
