import { type Database, isServiceError, MEMBER, type Scope } from '../../../../kernel/contracts/index.ts';
import type { AttentionItem, AttentionSource } from '../../../platform/resources/contract.ts';
import { publishedVersions } from '../store/versions.ts';
import type { Requirements } from './requirements.ts';

/**
 * At most this many published graphs are checked, the newest ones first. Their plans are cached, so each check costs
 * few reads.
 */
const MAX_CHECKED_GRAPHS = 50;
/**
 * The total size of the documents that one summary checks, in bytes. Larger graphs are checked on their own pages only.
 */
const MAX_BYTES = 256 * 1024;

export interface GraphAttentionDeps {
  database: Pick<Database, 'read'>;
  requirements: Pick<Requirements, 'reportGraph'>;
}

/** Credentials and accounts that published graphs name and cannot use. */
export const graphsAttention = ({ database, requirements }: GraphAttentionDeps): AttentionSource => ({
  name: 'graphs',
  access: MEMBER,
  async list(scope, limit) {
    const items: AttentionItem[] = [];
    let remaining_bytes = MAX_BYTES;
    for (const { name, version_number, bytes } of await publishedVersions(database, scope, MAX_CHECKED_GRAPHS)) {
      if (items.length >= limit) break;
      if (Number(bytes) > remaining_bytes) continue;
      remaining_bytes -= Number(bytes);
      items.push(...(await listMissing(requirements, scope, name, Number(version_number))));
    }
    return items.slice(0, limit);
  },
});

async function listMissing(
  requirements: Pick<Requirements, 'reportGraph'>,
  scope: Scope,
  graph: string,
  version: number,
): Promise<AttentionItem[]> {
  try {
    const { credentials } = await requirements.reportGraph({ scope, name: graph }, version);
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
    // The graph was removed meanwhile, or the server lacks one of its node types, which the graph's own page reports.
    if (isServiceError(error)) return [];
    throw error;
  }
}
