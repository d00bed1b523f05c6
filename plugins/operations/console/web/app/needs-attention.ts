import { useQuery } from '@tanstack/react-query';
import type { Summary } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';

/** The badges of the navigation need not be newer than that; Overview reads the same answer more often. */
const AGAIN_MS = 15_000;

export const summaryPath = (scope: Scope, window: string): string => scoped(scope, `/summary${query({ window })}`);

export const summaryQuery = (path: string) => ({
  queryKey: ['summary', path],
  queryFn: ({ signal }: { signal: AbortSignal }) => json<Summary>(path, { signal }),
});

/** How many runs wait for a person. */
export const signalsOf = ({ waits }: Pick<Summary, 'waits'>): number =>
  waits.groups.filter(({ kind }) => kind === 'signal').reduce((sum, { count }) => sum + count, 0);

/** How much needs a person: on Overview all of it, on Connections what is to be connected again. */
export function useNeedsAttention(scope: Scope): { Overview?: number; Connections?: number } {
  const { data } = useQuery({ ...summaryQuery(summaryPath(scope, '24h')), refetchInterval: AGAIN_MS });
  if (!data) return {};
  const attention = data.attention ?? [];
  const connections = attention.filter(({ kind }) => kind !== 'handler').length;
  return { Overview: signalsOf(data) + attention.length, Connections: connections };
}
