import {
  type Database,
  decodeCursor,
  iso,
  limitOf,
  listRoute,
  pageOf,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import type { GroupView } from './contract.ts';
import lockSchema from './schema/lock.schema.json' with { type: 'json' };
import { heldGroups } from './store/group-views.ts';

/** Held groups, the newest holder first, each with its queue in order. */
export const listLocksRoute = (database: Database): Route =>
  listRoute({
    path: `${SCOPED}/locks`,
    operation: 'listLocks',
    summary: 'List the leases that are held, with their holders and queues',
    access: VIEWER,
    plural: 'locks',
    item: lockSchema,
    description: 'A page of leases.',
    async list({ scope, query }) {
      const limit = limitOf(query);
      const place = decodeCursor(query.cursor, 'number', 'id');
      const after = place && { granted_at: place[0], group_key: place[1] };
      const found = await heldGroups(database, scope, { limit: limit + 1, after });
      const { items, ...rest } = pageOf(found, limit, ({ granted_at, group_key }) => [granted_at, group_key]);
      const now = database.now();
      return { items: items.map(({ view }) => render(view, now)), ...rest };
    },
  });

function render({ group, trusted, holder, queue, queue_length }: GroupView, now: number) {
  const age = (since: number) => ({ since: iso(since), age_ms: Math.max(0, now - since) });
  return {
    group,
    trusted,
    holder: { run_id: holder.run_id, ...age(holder.since), fence: holder.fence },
    queue: queue.map((place) => ({ run_id: place.run_id, ...age(place.asked_at) })),
    queue_length,
  };
}
