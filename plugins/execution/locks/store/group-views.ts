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
} from './rows.ts';

type Reading = Pick<Transaction, 'read'>;

/** Maximum number of holders, and of waiters, in views. */
const MAX_QUEUE_SHOWN = 100;

/** Returns the held groups of a project, the newest grant first, starting after a cursor. */
export async function listHeldGroups(
  on: Reading,
  scope: LeaseScope,
  page: { limit: number; after: { granted_at: number; group_key: string } | undefined },
): Promise<{ view: GroupView; granted_at: number; group_key: string }[]> {
  const { after } = page;
  const after_condition = after ? 'AND (t.granted_at < ? OR (t.granted_at = ? AND t.group_key < ?))' : '';
  const holders = await on.read<HolderRow>(
    `SELECT ${TICKET_COLUMNS.map((column) => `t.${column}`).join(', ')}, g.name, g.untrusted, g.limited, g.prioritized
     FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
     WHERE t.project_id = ? AND t.org_id = ? AND t.held = 1 ${after_condition}
     ORDER BY t.granted_at DESC, t.group_key DESC LIMIT ${Math.trunc(page.limit)}`,
    [scope.project_id, scope.org_id, ...(after ? [after.granted_at, after.granted_at, after.group_key] : [])],
  );
  const views = [];
  for (const holder of holders) {
    const { name: group, untrusted, granted_at, group_key } = holder;
    const view = { group, trusted: untrusted === null, ...(await readQueueView(on, holder)) };
    views.push({ view, granted_at: granted_at!, group_key });
  }
  return views;
}

/** The holder with the number 1, and its group. */
interface HolderRow extends Ticket {
  name: string;
  untrusted: number | null;
  limited: number | null;
  prioritized: number | null;
}

async function readQueueView(on: Reading, holder: HolderRow): Promise<Omit<GroupView, 'group' | 'trusted'>> {
  const queue = await listQueue(on, holder, MAX_QUEUE_SHOWN);
  const queue_length = queue.length < MAX_QUEUE_SHOWN ? queue.length : await countWaiting(on, holder);
  const holders = holder.limited === null ? [holder] : await readHolders(on, holder, MAX_QUEUE_SHOWN);
  const { limit, holder_count } = holder.limited === null ? { limit: 1, holder_count: 1 } : await readLimit(on, holder);
  return {
    limit,
    holder: toHolderView(holder),
    holders: holders.map(toHolderView),
    holder_count,
    queue: queue.map(toTicketView),
    queue_length,
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
