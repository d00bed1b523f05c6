import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** The keys whose queries are read once more when the read in progress has ended. */
const waiting = new WeakMap<QueryClient, Set<string>>();

/**
 * Reads the queries of a key again after a change. A read in progress may have begun before the change: its end is
 * awaited, and one more read follows, however many changes come until then. A refetch of the library would join the
 * first read of a query and miss the change, and would abort every later one, which under many changes never ends.
 */
export async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const keys = waiting.get(client) ?? new Set<string>();
  waiting.set(client, keys);
  const key = hashKey(queryKey);
  if (keys.has(key)) return;
  if (client.isFetching({ queryKey }) > 0) {
    keys.add(key);
    try {
      await client.refetchQueries({ queryKey, fetchStatus: 'fetching' }, { cancelRefetch: false });
    } finally {
      keys.delete(key);
    }
  }
  await client.invalidateQueries({ queryKey });
}
