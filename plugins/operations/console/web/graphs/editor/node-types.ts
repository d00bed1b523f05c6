import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { json } from '../../api/client.ts';
import { query, type Scope, scoped } from '../../api/paths.ts';
import type { NodeType } from './types.ts';

interface Types {
  node_types: NodeType[];
  next_cursor?: string;
}

async function readAll(scope: Scope, signal: AbortSignal): Promise<NodeType[]> {
  const all: NodeType[] = [];
  let cursor: string | undefined;
  do {
    const page = await json<Types>(scoped(scope, `/node-types${query({ limit: 200, cursor })}`), { signal });
    all.push(...page.node_types);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** All types that the server knows. They change with its plugins only. */
export function useNodeTypes(scope: Scope) {
  const read = useQuery({
    queryKey: ['node-types', scope.org, scope.project],
    queryFn: ({ signal }) => readAll(scope, signal),
    staleTime: 300_000,
  });
  const byName = useMemo(() => new Map((read.data ?? []).map((type) => [type.type, type])), [read.data]);
  return { ...read, byName };
}
