import type { Database } from '../../../kernel/contracts/index.ts';
import type { DeclaredTypes } from '../../bus/contract.ts';
import type { CredentialUser } from '../../credentials/contract.ts';
import { type About, presentVersions } from '../store/versions.ts';

/** Graphs whose latest or published version names a credential. */
export const graphUser = (database: Pick<Database, 'read'>): CredentialUser => ({
  kind: 'graph',
  async uses(scope, name, limit) {
    // JSON.stringify writes `"name":[`, and names contain nothing that it escapes.
    const found = await presentVersions(database, scope, `"${name}":[`);
    const nodes = new Map<string, Set<string>>();
    for (const { name: graph, about } of found) {
      const known = nodes.get(graph) ?? new Set();
      nodes.set(graph, known);
      for (const node of (JSON.parse(about) as About).credentials[name] ?? []) known.add(node);
    }
    return [...nodes]
      .filter(([, ids]) => ids.size > 0)
      .slice(0, limit)
      .map(([graph, ids]) => ({ kind: 'graph', name: graph, detail: `node ${[...ids].join(', ')}` }));
  },
});

/** Types of events that the nodes of graphs emit. */
export const emittedTypes = (database: Pick<Database, 'read'>): DeclaredTypes => ({
  name: 'graphs',
  async types(scope) {
    const found = await presentVersions(database, scope);
    return [...new Set(found.flatMap(({ about }) => (JSON.parse(about) as About).emits))];
  },
});
