import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { GroupView, LeaseHolder, LeaseOwner, LeaseTicket, LeaseScope, ReplacedRun } from '../contract.ts';
import { countWaiting, readHolder, type Ticket, readTicket, listWaiting } from './rows.ts';

type Reading = Pick<Transaction, 'read'>;

/** Maximum length of a queue in views. */
const MAX_QUEUE_SHOWN = 100;

/** Returns the held groups of a project, the newest grant first, starting after a cursor. */
export async function listHeldGroups(
  on: Reading,
  scope: LeaseScope,
  page: { limit: number; after: { granted_at: number; group_key: string } | undefined },
): Promise<{ view: GroupView; granted_at: number; group_key: string }[]> {
  const { after } = page;
  const after_condition = after ? 'AND (t.granted_at < ? OR (t.granted_at = ? AND t.group_key < ?))' : '';
  const holders = await on.read<Ticket & { name: string; untrusted: number | null }>(
    `SELECT t.org_id, t.project_id, t.group_key, t.ticket, t.run_id, t.owner_kind, t.owner_id, t.state, t.fence,
       t.asked_at, t.granted_at, t.to_tell, g.name, g.untrusted
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

async function readQueueView(on: Reading, holder: Ticket): Promise<Omit<GroupView, 'group' | 'trusted'>> {
  const queue = await listWaiting(on, holder, MAX_QUEUE_SHOWN);
  const queue_length = queue.length < MAX_QUEUE_SHOWN ? queue.length : await countWaiting(on, holder);
  return { holder: toHolderView(holder), queue: queue.map(toTicketView), queue_length };
}

/** Returns the holder if it came before an owner, and those before the owner in the queue, starting after a ticket. */
export async function listReplacedBefore(
  on: Reading,
  owner: LeaseOwner,
  after: ReplacedRun | undefined,
  limit: number,
): Promise<ReplacedRun[]> {
  const own_ticket = await readTicket(on, owner);
  if (!own_ticket) return [];
  const holder = after === undefined ? await readHolder(on, own_ticket) : undefined;
  const earlier_holder = holder && holder.ticket < own_ticket.ticket ? [holder] : [];
  // A holder may have been granted its lease later than some that still wait, so the queue restarts after it.
  const from = after === undefined || after.held ? 0 : after.ticket + 1;
  const waiting = await listWaiting(on, own_ticket, limit - earlier_holder.length, { from, before: own_ticket.ticket });
  return [...earlier_holder, ...waiting].map(({ run_id, ticket, state }) => ({
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
