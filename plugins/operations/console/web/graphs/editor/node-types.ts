import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Scope, scoped } from '../../api/paths.ts';
import { readAllPages } from '../../api/all-pages.ts';
import type { NodeType } from './types.ts';

/** All types that the server knows. They change with its plugins only. */
export function useNodeTypes(scope: Scope) {
  const read = useQuery({
    queryKey: ['node-types', scope.org, scope.project],
    queryFn: ({ signal }) => readAllPages<NodeType>(scoped(scope, '/node-types'), 'node_types', { signal }),
    staleTime: 300_000,
  });
  const byName = useMemo(() => new Map((read.data ?? []).map((type) => [type.type, type])), [read.data]);
  return { ...read, byName };
}
