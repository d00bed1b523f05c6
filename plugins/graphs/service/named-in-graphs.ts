import type { Database } from '../../../kernel/contracts/index.ts';
import type { DeclaredTypes } from '../../bus/contract.ts';
import type { CredentialUser } from '../../credentials/contract.ts';
import { type About, presentVersions } from '../store/versions.ts';

/** Nodes of a graph that a use of a credential names. */
const MAX_NODES = 50;
/** Types in the catalog that nothing but graphs tells of: those of the newest graphs. */
const MAX_TYPES = 1000;
/** Bytes told of a version in which the catalog looks for types: a graph with more was made by a program. */
const MAX_EMITS_BYTES = 32 * 1024;

/** Graphs whose latest or published version names a credential. */
export const graphUser = (database: Pick<Database, 'read'>): CredentialUser => ({
  kind: 'graph',
  async uses(scope, name, limit) {
    // JSON.stringify writes `"name":[`, and names contain nothing that it escapes.
    const nodes = new Map<string, Set<string>>();
    for await (const found of presentVersions(database, scope, { holding: `"${name}":[` })) {
      for (const { name: graph, about } of found)
        for (const node of (JSON.parse(about) as About).credentials[name] ?? []) {
          const known = nodes.get(graph) ?? new Set();
          nodes.set(graph, known.add(node));
        }
      // The last graph may go on: the published version comes after the latest one.
      if (nodes.size > limit) break;
    }
    return [...nodes].slice(0, limit).map(([graph, ids]) => ({ kind: 'graph', name: graph, detail: shown([...ids]) }));
  },
});

const shown = (ids: readonly string[]): string => {
  const more = ids.length > MAX_NODES ? ` and ${ids.length - MAX_NODES} more` : '';
  return `node ${ids.slice(0, MAX_NODES).join(', ')}${more}`;
};

/** Types of events that the nodes of graphs emit, as far as the catalog looks. */
export const emittedTypes = (database: Pick<Database, 'read'>): DeclaredTypes => ({
  name: 'graphs',
  async types(scope) {
    const types = new Set<string>();
    for await (const found of presentVersions(database, scope, { most: MAX_EMITS_BYTES })) {
      for (const { about } of found) for (const type of (JSON.parse(about) as About).emits) types.add(type);
      if (types.size >= MAX_TYPES) break;
    }
    return [...types].slice(0, MAX_TYPES);
  },
});
