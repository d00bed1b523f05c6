import type { Database } from '../../../kernel/contracts/index.ts';
import type { NamedCall } from '../../resources/contract.ts';
import { kindsOf } from '../domain/credentials.ts';
import type { GraphRequirements } from '../generated/graph-requirements.ts';
import type { Graphs } from './graphs.ts';
import type { Planner } from './planner.ts';

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
    const { database, graphs, planner } = this.#parts;
    const { source } = await graphs.find(scope, name, version);
    const planned = planner.planned(planner.checkText(source, name));
    const states = await planner.states(database, scope, planned);
    const credentials = planned.named.map((named, i) => {
      const { state, ...more } = states[i]!;
      const entry = { node_id: named.node_id, name: named.name, state };
      if (state !== 'wrong_kind') return entry;
      return { ...entry, required_kind: kindsOf(named), stored_kind: (more as { stored_kind: string }).stored_kind };
    });
    return { ready: credentials.every(({ state }) => state === 'ok'), credentials };
  }
}
