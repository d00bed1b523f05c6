import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { GroupView, LeaseHolder, LeaseOwner, LeasePlace, LeaseScope, ReplacedRun } from '../contract.ts';
import { countWaiting, holderOf, type Ticket, ticketOf, waitingFor } from './rows.ts';

type Reading = Pick<Transaction, 'read'>;

/** Maximum length of a shown queue. */
const SHOWN = 100;

/** Held groups of a project after a cursor, newest grant first. */
export async function heldGroups(
  on: Reading,
  scope: LeaseScope,
  page: { limit: number; after: { granted_at: number; group_key: string } | undefined },
): Promise<{ view: GroupView; granted_at: number; group_key: string }[]> {
  const { after } = page;
  const beyond = after ? 'AND (t.granted_at < ? OR (t.granted_at = ? AND t.group_key < ?))' : '';
  const holders = await on.read<Ticket & { name: string; untrusted: number | null }>(
    `SELECT t.org_id, t.project_id, t.group_key, t.ticket, t.run_id, t.owner_kind, t.owner_id, t.state, t.fence,
       t.asked_at, t.granted_at, t.to_tell, g.name, g.untrusted
     FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
     WHERE t.project_id = ? AND t.org_id = ? AND t.held = 1 ${beyond}
     ORDER BY t.granted_at DESC, t.group_key DESC LIMIT ${Math.trunc(page.limit)}`,
    [scope.project_id, scope.org_id, ...(after ? [after.granted_at, after.granted_at, after.group_key] : [])],
  );
  const shown = [];
  for (const holder of holders) {
    const { name: group, untrusted, granted_at, group_key } = holder;
    const view = { group, trusted: untrusted === null, ...(await queueView(on, holder)) };
    shown.push({ view, granted_at: granted_at!, group_key });
  }
  return shown;
}

async function queueView(on: Reading, holder: Ticket): Promise<Omit<GroupView, 'group' | 'trusted'>> {
  const queue = await waitingFor(on, holder, SHOWN);
  const queue_length = queue.length < SHOWN ? queue.length : await countWaiting(on, holder);
  return { holder: holderView(holder), queue: queue.map(placeView), queue_length };
}

/** The holder, if it came before an owner, and those before it in the queue, after a ticket. */
export async function replacedBefore(
  on: Reading,
  owner: LeaseOwner,
  after: ReplacedRun | undefined,
  limit: number,
): Promise<ReplacedRun[]> {
  const own = await ticketOf(on, owner);
  if (!own) return [];
  const holder = after === undefined ? await holderOf(on, own) : undefined;
  const first = holder && holder.ticket < own.ticket ? [holder] : [];
  // A holder may have come to its lease later than some that wait: the queue begins anew after it.
  const from = after === undefined || after.held ? 0 : after.ticket + 1;
  const waiting = await waitingFor(on, own, limit - first.length, { from, before: own.ticket });
  return [...first, ...waiting].map(({ run_id, ticket, state }) => ({ run_id, ticket, held: state === 'held' }));
}

const placeView = ({ run_id, owner_kind, owner_id, asked_at }: Ticket): LeasePlace => ({
  run_id,
  kind: owner_kind,
  id: owner_id,
  asked_at,
});

const holderView = (ticket: Ticket): LeaseHolder => ({
  ...placeView(ticket),
  since: ticket.granted_at!,
  fence: ticket.fence!,
});
