import { type Database, isServiceError, MEMBER, type Scope } from '../../../kernel/contracts/index.ts';
import type { AttentionItem, AttentionSource } from '../../summary/contract.ts';
import { publishedVersions } from '../store/versions.ts';
import type { Requirements } from './requirements.ts';

/** Published graphs that are looked at: the newest. Their plans are kept, so that a look costs few reads for each. */
const MAX_LOOKED_AT = 50;
/** Bytes of their documents, so that a summary stays cheap: larger graphs are left to their own pages. */
const MAX_BYTES = 256 * 1024;

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
    let left = MAX_BYTES;
    for (const { name, version_number, bytes } of await publishedVersions(database, scope, MAX_LOOKED_AT)) {
      if (found.length >= limit) break;
      if (Number(bytes) > left) continue;
      left -= Number(bytes);
      found.push(...(await lacking(requirements, scope, name, Number(version_number))));
    }
    return found.slice(0, limit);
  },
});

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
