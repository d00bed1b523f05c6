import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { GroupView, LeaseHolder, LeaseOwner, LeaseTicket, LeaseScope, ReplacedRun } from '../contract.ts';
import {
  countWaiting,
  readHolders,
  readLimit,
  type Ticket,
  TICKET_COLUMNS,
  readTicket,
  listQueue,
  listWaiting,
  readReplacedHolders,
  throttleOf,
} from './rows.ts';

type Reading = Pick<Transaction, 'read'>;

/** Maximum number of holders, and of waiters, in views. */
const MAX_QUEUE_SHOWN = 100;

interface GroupsPage {
  limit: number;
  after: { at: number; group_key: string } | undefined;
}

/** A group in a list, and its place there: the time of its newest grant, or that of its next one. */
interface ListedGroup {
  view: GroupView;
  at: number;
  group_key: string;
}

/**
 * Returns the groups of a project that somebody holds, the newest grant first, starting after a cursor. Those that nobody
 * holds, but whose throttle lets the next one start at a later time, come before them.
 */
export async function listGroups(on: Reading, scope: LeaseScope, page: GroupsPage): Promise<ListedGroup[]> {
  const groups = [...(await listThrottledGroups(on, scope, page)), ...(await listHeldGroups(on, scope, page))];
  return groups.sort((a, b) => b.at - a.at || (a.group_key < b.group_key ? 1 : -1)).slice(0, Math.trunc(page.limit));
}

async function listThrottledGroups(on: Reading, scope: LeaseScope, page: GroupsPage): Promise<ListedGroup[]> {
  const { after } = page;
  const after_condition = after ? 'AND (g.next_at < ? OR (g.next_at = ? AND g.group_key < ?))' : '';
  const groups = await on.read<GroupRow>(
    `SELECT g.project_id, g.group_key, g.name, g.untrusted, g.limited, g.prioritized, g.next_at FROM locks_groups g
     WHERE g.project_id = ? AND g.org_id = ? AND g.next_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM locks_tickets t
       WHERE t.project_id = g.project_id AND t.group_key = g.group_key AND t.held = 1) ${after_condition}
     ORDER BY g.next_at DESC, g.group_key DESC LIMIT ${Math.trunc(page.limit)}`,
    [scope.project_id, scope.org_id, ...(after ? [after.at, after.at, after.group_key] : [])],
  );
  const listed = [];
  for (const group of groups) {
    const queue = await readQueueView(on, group);
    if (queue.queue_length === 0) continue;
    const view = { ...toGroupView(group), limit: 1, holders: [], holder_count: 0, ...queue };
    listed.push({ view, at: Number(group.next_at), group_key: group.group_key });
  }
  return listed;
}

async function listHeldGroups(on: Reading, scope: LeaseScope, page: GroupsPage): Promise<ListedGroup[]> {
  const { after } = page;
  const after_condition = after ? 'AND (t.granted_at < ? OR (t.granted_at = ? AND t.group_key < ?))' : '';
  const holders = await on.read<HolderRow>(
    `SELECT ${TICKET_COLUMNS.map((column) => `t.${column}`).join(', ')}, g.name, g.untrusted, g.limited, g.prioritized, g.next_at
     FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
     WHERE t.project_id = ? AND t.org_id = ? AND t.held = 1 ${after_condition}
     ORDER BY t.granted_at DESC, t.group_key DESC LIMIT ${Math.trunc(page.limit)}`,
    [scope.project_id, scope.org_id, ...(after ? [after.at, after.at, after.group_key] : [])],
  );
  const views = [];
  for (const holder of holders) {
    const { granted_at, group_key } = holder;
    const view = {
      ...toGroupView(holder),
      ...(await readHoldersView(on, holder)),
      ...(await readQueueView(on, holder)),
    };
    views.push({ view, at: granted_at!, group_key });
  }
  return views;
}

interface GroupRow {
  project_id: string;
  group_key: string;
  name: string;
  untrusted: number | null;
  limited: number | null;
  prioritized: number | null;
  next_at: number | null;
}

/** The holder with the number 1, and its group. */
type HolderRow = Ticket & GroupRow;

const toGroupView = ({ name: group, untrusted }: GroupRow): Pick<GroupView, 'group' | 'trusted'> => ({
  group,
  trusted: untrusted === null,
});

async function readQueueView(
  on: Reading,
  group: GroupRow,
): Promise<Pick<GroupView, 'queue' | 'queue_length' | 'throttle' | 'next_at'>> {
  const queue = await listQueue(on, group, MAX_QUEUE_SHOWN);
  const queue_length = queue.length < MAX_QUEUE_SHOWN ? queue.length : await countWaiting(on, group);
  const [first] = queue;
  const throttle = first && throttleOf(first);
  return {
    queue: queue.map(toTicketView),
    queue_length,
    ...(throttle && { throttle, ...(group.next_at !== null && { next_at: Number(group.next_at) }) }),
  };
}

async function readHoldersView(
  on: Reading,
  holder: HolderRow,
): Promise<Pick<GroupView, 'limit' | 'holder' | 'holders' | 'holder_count'>> {
  const holders = holder.limited === null ? [holder] : await readHolders(on, holder, MAX_QUEUE_SHOWN);
  const { limit, holder_count } = holder.limited === null ? { limit: 1, holder_count: 1 } : await readLimit(on, holder);
  return {
    limit,
    holder: toHolderView(holder),
    holders: holders.map(toHolderView),
    holder_count,
  };
}

/** Returns the replaced holders, and those before the owner in the queue, starting after a ticket. */
export async function listReplacedBefore(
  on: Reading,
  owner: LeaseOwner,
  after: ReplacedRun | undefined,
  limit: number,
): Promise<ReplacedRun[]> {
  const own_ticket = await readTicket(on, owner);
  if (!own_ticket) return [];
  const below = Math.min((await readReplacedHolders(on, own_ticket)) ?? 0, own_ticket.ticket);
  const from_holder = after === undefined ? 0 : after.held ? after.ticket + 1 : below;
  const holders =
    from_holder < below
      ? (await readHolders(on, own_ticket))
          .filter(({ ticket }) => ticket >= from_holder && ticket < below)
          .sort((a, b) => a.ticket - b.ticket)
          .slice(0, limit)
      : [];
  // A holder may have been granted its lease later than some that still wait, so the queue restarts after the holders.
  const from = after === undefined || after.held ? 0 : after.ticket + 1;
  const waiting =
    holders.length < limit
      ? await listWaiting(on, own_ticket, limit - holders.length, { from, before: own_ticket.ticket })
      : [];
  return [...holders, ...waiting].map(({ run_id, ticket, state }) => ({
    run_id,
    ticket,
    held: state === 'held',
  }));
}

const toTicketView = ({ run_id, owner_kind, owner_id, asked_at }: Ticket): LeaseTicket => ({
  run_id,
  kind: owner_kind,
  id: owner_id,
  asked_at,
});

const toHolderView = (ticket: Ticket): LeaseHolder => ({
  ...toTicketView(ticket),
  since: ticket.granted_at!,
  fence: ticket.fence!,
});
