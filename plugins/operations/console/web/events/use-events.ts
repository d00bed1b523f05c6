import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import type { Event, ListEvents200 } from '../../../../../cli/generated/api.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useBatched } from '../kit/batched.ts';
import { listKey, usePaged } from '../kit/paged.ts';
import { type EventQuery, withNew } from './filters.ts';

/** The list is read again at most so often, however many events are recorded. */
const AGAIN_MS = 1000;

type Pages = InfiniteData<ListEvents200, string | undefined>;

/** The events of a project that fit, kept as they are on the server. */
export function useEvents(scope: Scope, filters: EventQuery, limit = 50) {
  const client = useQueryClient();
  const path = scoped(scope, '/events');
  const asked = { ...filters, limit };
  const key = listKey(path, asked);
  const list = usePaged<'events', Event>('events', path, asked);
  const again = useBatched(() => void readAgain(client, key), AGAIN_MS);
  const live = useLive(scope, 'events', (kind, data) => {
    // A read in progress may have begun before the event, and replaces what is put into the list here.
    if (kind === 'reset' || client.isFetching({ queryKey: key }) > 0) again();
    if (kind === 'event')
      client.setQueryData<Pages>(key, (before) => before && withEvent(before, data as Event, filters));
  });
  return { list, live };
}

function withEvent({ pages, pageParams }: Pages, event: Event, filters: EventQuery): Pages {
  const first = pages[0]!;
  return { pages: pages.with(0, { ...first, events: [...withNew(first.events, event, filters)] }), pageParams };
}
