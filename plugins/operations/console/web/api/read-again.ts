import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';

/** The keys whose queries are read once more when the read in progress has ended, and the end of that. */
const waiting = new WeakMap<QueryClient, Map<string, Promise<void>>>();

/**
 * Reads the queries of a key again after a change. A read in progress may have begun before the change: its end is
 * awaited, and one more read follows, however many changes come until then. A refetch of the library would join the
 * first read of a query and miss the change, and would abort every later one, which under many changes never ends.
 */
export function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const keys = waiting.get(client) ?? new Map<string, Promise<void>>();
  waiting.set(client, keys);
  const key = hashKey(queryKey);
  const others = keys.get(key);
  if (others) return others;
  if (client.isFetching({ queryKey }) === 0) return client.invalidateQueries({ queryKey });
  const end = client
    .refetchQueries({ queryKey, fetchStatus: 'fetching' }, { cancelRefetch: false })
    .finally(() => keys.delete(key))
    .then(() => client.invalidateQueries({ queryKey }));
  keys.set(key, end);
  return end;
}

/** What a form or a button calls after its change: the queries of the keys are read again, and the end of that is awaited. */
export function useRefetch(): (...keys: readonly QueryKey[]) => Promise<void> {
  const client = useQueryClient();
  return async (...keys) => {
    await Promise.all(keys.map((key) => readAgain(client, key)));
  };
}
