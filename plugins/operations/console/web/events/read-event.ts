import { useQuery } from '@tanstack/react-query';
import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { AGAIN_MS } from '../kit/paged.ts';

export const eventPath = (scope: Scope, id: string): string => scoped(scope, `/events/${encodeURIComponent(id)}`);

/** One event, read again while the page is open, because its effects come later. */
export const useEvent = (scope: Scope, id: string) => {
  const path = eventPath(scope, id);
  return useQuery({
    queryKey: ['event', path],
    queryFn: ({ signal }) => json<ShownEvent>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
};
