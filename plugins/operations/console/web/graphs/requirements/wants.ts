import type { GraphRequirements } from '../../../../../../cli/generated/api.ts';
import type { Kind } from '../../connections/kinds.ts';

type Required = GraphRequirements['credentials'][number];

/** One name that a graph needs, and the nodes that do. */
export interface Want {
  name: string;
  state: Required['state'];
  nodes: readonly string[];
  /** Empty: any. */
  kinds: readonly Kind[];
  stored_kind?: string | undefined;
}

/** By name, what needs somebody first. */
export function wantsOf({ credentials, kinds }: Pick<GraphRequirements, 'credentials' | 'kinds'>): Want[] {
  const found = new Map<string, Want>();
  for (const one of credentials) {
    const before = found.get(one.name);
    const worse = !before || before.state === 'ok' ? one : before;
    found.set(one.name, {
      name: one.name,
      state: worse.state,
      nodes: [...new Set([...(before?.nodes ?? []), one.node_id])],
      kinds: kinds[one.name] ?? [],
      stored_kind: worse.stored_kind,
    });
  }
  return [...found.values()].sort((a, b) => Number(a.state === 'ok') - Number(b.state === 'ok'));
}

/** A connected account counts as a bearer credential. */
export const accountDoes = ({ kinds }: Pick<Want, 'kinds'>): boolean => kinds.length === 0 || kinds.includes('bearer');
