import { type Database, isServiceError, MEMBER, type Scope } from '../../../kernel/contracts/index.ts';
import type { AttentionItem, AttentionSource } from '../../summary/contract.ts';
import { graphs } from '../store/graphs.ts';
import type { Requirements } from './requirements.ts';

/** Published graphs that are looked at: the newest. Their plans are kept, so that a look costs few reads for each. */
const MAX_LOOKED_AT = 50;
const PAGE = 200;

export interface GraphAttentionParts {
  database: Pick<Database, 'read'>;
  requirements: Pick<Requirements, 'of'>;
}

/** Credentials and accounts that published graphs name and cannot use. */
export const graphsAttention = ({ database, requirements }: GraphAttentionParts): AttentionSource => ({
  name: 'graphs',
  access: MEMBER,
  async list(scope, limit) {
    const found: AttentionItem[] = [];
    for (const { name, version } of await published(database, scope)) {
      if (found.length >= limit) break;
      found.push(...(await lacking(requirements, scope, name, version)));
    }
    return found.slice(0, limit);
  },
});

async function published(database: Pick<Database, 'read'>, scope: Scope) {
  const { items } = await graphs.page(database, scope, { limit: PAGE, before: undefined }, (row) => row);
  return items
    .flatMap(({ name, published_version: version }) => (version === null ? [] : [{ name, version: Number(version) }]))
    .slice(0, MAX_LOOKED_AT);
}

async function lacking(
  requirements: Pick<Requirements, 'of'>,
  scope: Scope,
  graph: string,
  version: number,
): Promise<AttentionItem[]> {
  try {
    const { credentials } = await requirements.of({ scope, name: graph }, version);
    return credentials
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, node_id }) => ({
        kind: 'credential',
        name,
        state,
        detail: `node ${node_id} of graph ${graph} needs it`,
        graph,
      }));
  } catch (error) {
    // It was removed just now, or a type of node is not there any more, which its own page says.
    if (isServiceError(error)) return [];
    throw error;
  }
}
