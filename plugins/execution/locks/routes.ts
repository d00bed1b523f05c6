import {
  type Database,
  decodeCursor,
  formatDuration,
  iso,
  limitOf,
  listRoute,
  pageOf,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import type { GroupView, LeaseHolder } from './contract.ts';
import lockSchema from './schema/lock.schema.json' with { type: 'json' };
import { listGroups } from './store/group-views.ts';

/** Lists groups that are held or throttled, the latest holder first, each with its queue in order. */
export const listLocksRoute = (database: Database): Route =>
  listRoute({
    path: `${SCOPED}/locks`,
    operation: 'listLocks',
    summary: 'List the leases, with their holders and queues',
    access: VIEWER,
    plural: 'locks',
    item: lockSchema,
    description: 'A page of leases.',
    async list({ scope, query }) {
      const limit = limitOf(query);
      const cursor = decodeCursor(query.cursor, 'number', 'id');
      const after = cursor && { at: cursor[0], group_key: cursor[1] };
      const groups = await listGroups(database, scope, { limit: limit + 1, after });
      const { items, ...rest } = pageOf(groups, limit, ({ at, group_key }) => [at, group_key]);
      const now = database.now();
      return { items: items.map(({ view }) => render(view, now)), ...rest };
    },
  });

function render(view: GroupView, now: number) {
  const { group, trusted, limit, holder, holders, holder_count, queue, queue_length, throttle, next_at } = view;
  const toAge = (since: number) => ({ since: iso(since), age_ms: Math.max(0, now - since) });
  const toHolder = ({ run_id, since, fence }: LeaseHolder) => ({ run_id, ...toAge(since), fence });
  return {
    group,
    trusted,
    limit,
    holder: holder && toHolder(holder),
    holders: holders.map(toHolder),
    holder_count,
    queue: queue.map((ticket) => ({ run_id: ticket.run_id, ...toAge(ticket.asked_at) })),
    queue_length,
    throttle: throttle && { limit: throttle.limit, period: formatDuration(throttle.period_ms) },
    next_start_at: next_at === undefined ? undefined : iso(next_at),
  };
}
