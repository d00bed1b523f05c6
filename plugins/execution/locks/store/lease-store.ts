import type { Database, Transaction } from '../../../../kernel/contracts/index.ts';
import type { LeaseOwner, LeaseOwnerKind, LeaseRequest, Leases, LeaseState, ReplacedRun } from '../contract.ts';
import { listReplacedBefore } from './group-views.ts';
import { assertGroupName, groupKey } from '../domain/group.ts';
import {
  drawTicket,
  readHolder,
  type LockedGroup,
  lockGroup,
  writeOne,
  lockOrCreateGroup,
  listOpenTickets,
  replaceBefore,
  type Ticket,
  readTicket,
  listWaiting,
  skipGroupGuard,
} from './rows.ts';

const OWNER_ID = /^[\x21-\x7e]{0,64}$/;

interface LeaseStoreDeps {
  database: Pick<Database, 'now'>;
  owners: () => readonly LeaseOwnerKind[];
  /** Called after a commit in which a queue advanced, so that its new holder can be notified. */
  onGranted: () => void;
}

/**
 * Stores tickets in the database. A group's row is locked before its tickets are read, so grants are serialised.
 * Nothing here touches a row of the engine.
 */
export class LeaseStore implements Leases {
  readonly #deps: LeaseStoreDeps;

  constructor(deps: LeaseStoreDeps) {
    this.#deps = deps;
  }

  async acquire(tx: Transaction, request: LeaseRequest): Promise<LeaseState> {
    const group = await this.#lockGroup(tx, request);
    const ticket = (await readTicket(tx, request.owner)) ?? (await this.#drawTicket(tx, group, request.owner));
    if (ticket.state === 'held') return { state: 'held', fence: ticket.fence! };
    if (ticket.state === 'shared') return { state: 'held', fence: group.fence };
    if (ticket.state !== 'waiting') throw new Error(`ticket ${ticket.ticket} of ${group.group_key} is ${ticket.state}`);
    return { state: 'waiting' };
  }

  async tryAcquire(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined> {
    const group = await this.#lockGroup(tx, request);
    const holder = await readHolder(tx, group);
    if (holder && !this.#canShare(holder, request.owner)) return undefined;
    await this.#drawTicket(tx, group, request.owner);
    return { fence: group.fence };
  }

  async release(tx: Transaction, owner: LeaseOwner): Promise<boolean> {
    const locked = await this.#lockTicket(tx, owner);
    return locked !== undefined && this.#end(tx, locked.group, locked.ticket);
  }

  /** Leaves the queue; returns false if the lease was granted meanwhile or there is no ticket. */
  async leaveQueue(tx: Transaction, owner: LeaseOwner): Promise<boolean> {
    const locked = await this.#lockTicket(tx, owner);
    return locked?.ticket.state === 'waiting' && this.#end(tx, locked.group, locked.ticket);
  }

  /** Leaves the queue after a timeout, unless the lease was granted just now; then returns its fence. */
  async abandon(tx: Transaction, owner: LeaseOwner): Promise<number | undefined> {
    const locked = await this.#lockTicket(tx, owner);
    if (!locked) return undefined;
    const { group, ticket } = locked;
    if (await this.markNotified(tx, ticket)) return ticket.fence ?? group.fence;
    await this.#end(tx, group, ticket);
    return undefined;
  }

  /** Releases everything that these runs hold or wait for. */
  async releaseRuns(tx: Transaction, run_ids: readonly string[]): Promise<void> {
    const open = run_ids.length === 0 ? [] : await listOpenTickets(tx, run_ids);
    const groups = new Map<string, Ticket[]>();
    for (const ticket of open) {
      const key = `${ticket.project_id} ${ticket.group_key}`;
      groups.set(key, [...(groups.get(key) ?? []), ticket]);
    }
    for (const [ticket_of_group] of groups.values()) {
      const group = await lockGroup(tx, ticket_of_group!, ticket_of_group!.group_key);
      if (!group) continue;
      // Waiting tickets go first, because a lease must not be passed to a run that has ended.
      const tickets = (await listOpenTickets(tx, run_ids)).filter((ticket) => sameGroup(ticket, group));
      for (const ticket of tickets.sort((a, b) => Number(a.state === 'held') - Number(b.state === 'held')))
        await this.#end(tx, group, ticket);
    }
  }

  /** Records that the owner was notified; returns false if that was no longer needed. */
  async markNotified(tx: Transaction, ticket: Pick<Ticket, 'project_id' | 'group_key' | 'ticket'>): Promise<boolean> {
    const changed = await tx.write(
      `UPDATE locks_tickets SET to_tell = NULL WHERE project_id = ? AND group_key = ? AND ticket = ?
       AND to_tell IS NOT NULL AND state IN ('held', 'shared')`,
      [ticket.project_id, ticket.group_key, ticket.ticket],
    );
    return changed === 1;
  }

  async replaceEarlier(tx: Transaction, owner: LeaseOwner): Promise<void> {
    const ticket = await readTicket(tx, owner);
    const group = ticket && (await lockGroup(tx, ticket, ticket.group_key));
    if (group) await replaceBefore(tx, group, ticket);
  }

  listReplaced(
    on: Pick<Transaction, 'read'>,
    owner: LeaseOwner,
    after: ReplacedRun | undefined,
    limit: number,
  ): Promise<ReplacedRun[]> {
    return listReplacedBefore(on, owner, after, limit);
  }

  #lockGroup(tx: Transaction, { group, trusted, owner, org_id, project_id }: LeaseRequest): Promise<LockedGroup> {
    const name = assertGroupName(group);
    if (!OWNER_ID.test(owner.id) || !this.#deps.owners().some(({ kind }) => kind === owner.kind))
      throw new RangeError(`${owner.kind} ${owner.id} cannot own a lease`);
    return lockOrCreateGroup(tx, { org_id, project_id }, groupKey(name, trusted), { name, trusted });
  }

  /**
   * Locks an owner's ticket and its group; returns undefined if there is no ticket, or it has ended and its group was
   * removed.
   */
  async #lockTicket(tx: Transaction, owner: LeaseOwner): Promise<{ group: LockedGroup; ticket: Ticket } | undefined> {
    const unlocked = await readTicket(tx, owner);
    const group = unlocked && (await lockGroup(tx, unlocked, unlocked.group_key));
    // Read again under the lock, because it may have been granted a moment ago.
    return group && { group, ticket: (await readTicket(tx, owner))! };
  }

  /** Creates a ticket. It holds the lease if it is free, or shares the lease of its own run. */
  async #drawTicket(tx: Transaction, group: LockedGroup, owner: LeaseOwner): Promise<Ticket> {
    const holder = await readHolder(tx, group);
    const ticket = await drawTicket(tx, group, owner, this.#deps.database.now());
    // A free group has no waiters except replaced ones, because every release passes the lease on.
    if (!holder) await this.#grant(tx, group, ticket, false);
    else if (this.#canShare(holder, owner)) await this.#share(tx, ticket, false);
    return ticket;
  }

  #canShare(holder: Ticket, owner: LeaseOwner): boolean {
    return holder.run_id === owner.run_id && this.#shares(holder.owner_kind);
  }

  #shares(kind: string): boolean {
    return this.#deps.owners().some((known) => known.kind === kind && known.shares);
  }

  /** Grants the lease to a waiting ticket. With `notify`, its owner does not know yet. */
  #grant(tx: Transaction, group: LockedGroup, ticket: Ticket, notify: boolean): Promise<void> {
    return this.#makeHolder(tx, group, ticket, notify ? this.#deps.database.now() : null);
  }

  /** Turns a waiting or shared ticket into the holder, with the next fence. */
  async #makeHolder(tx: Transaction, group: LockedGroup, ticket: Ticket, notify_due_at: number | null): Promise<void> {
    const now = this.#deps.database.now();
    const { project_id, group_key } = group;
    const { state } = ticket;
    group.fence += 1;
    Object.assign(ticket, { state: 'held', fence: group.fence, granted_at: now, to_tell: notify_due_at });
    await writeOne(tx, 'UPDATE locks_groups SET fence = ? WHERE project_id = ? AND group_key = ?', [
      group.fence,
      project_id,
      group_key,
    ]);
    skipGroupGuard(tx, group);
    await writeOne(
      tx,
      `UPDATE locks_tickets SET state = 'held', held = 1, fence = ?, granted_at = ?, to_tell = ?
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [group.fence, now, notify_due_at, project_id, group_key, ticket.ticket, state],
    );
  }

  async #share(tx: Transaction, ticket: Ticket, notify: boolean): Promise<void> {
    const now = this.#deps.database.now();
    Object.assign(ticket, { state: 'shared', granted_at: now, to_tell: notify ? now : null });
    await writeOne(
      tx,
      `UPDATE locks_tickets SET state = 'shared', joined = 1, granted_at = ?, to_tell = ?
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = 'waiting'`,
      [now, ticket.to_tell, ticket.project_id, ticket.group_key, ticket.ticket],
    );
  }

  /** Ends an open ticket. A held lease goes to the next in the queue in the same transaction. */
  async #end(tx: Transaction, group: LockedGroup, ticket: Ticket): Promise<boolean> {
    if (ticket.state === 'released' || ticket.state === 'cancelled') return false;
    const state = ticket.state === 'waiting' ? 'cancelled' : 'released';
    await writeOne(
      tx,
      `UPDATE locks_tickets SET state = ?, held = NULL, ended_at = ?, to_tell = NULL
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [state, this.#deps.database.now(), group.project_id, group.group_key, ticket.ticket, ticket.state],
    );
    if (ticket.state === 'held') await this.#grantNext(tx, group, ticket.run_id);
    return true;
  }

  /**
   * Passes the lease on: to a ticket of the same run that shares it, otherwise to the next in the queue and to all
   * tickets of its run that share it.
   */
  async #grantNext(tx: Transaction, group: LockedGroup, run_id: string): Promise<void> {
    const [sharing] = await this.#ticketsOfRun(tx, group, run_id, 'shared');
    if (sharing) return this.#makeHolder(tx, group, sharing, sharing.to_tell);
    const next = await this.#findNext(tx, group);
    if (!next) return;
    await this.#grant(tx, group, next, true);
    if (this.#shares(next.owner_kind))
      for (const also of await this.#ticketsOfRun(tx, group, next.run_id, 'waiting')) await this.#share(tx, also, true);
    tx.afterCommit(() => this.#deps.onGranted());
  }

  /** Returns the first waiting ticket that was not replaced. */
  async #findNext(tx: Transaction, group: LockedGroup): Promise<Ticket | undefined> {
    const from = group.replaced_below ?? 0;
    const own_tickets =
      group.replaced_by === null ? [] : await this.#ticketsOfRun(tx, group, group.replaced_by, 'waiting');
    return own_tickets.find(({ ticket }) => ticket < from) ?? (await listWaiting(tx, group, 1, { from }))[0];
  }

  async #ticketsOfRun(tx: Transaction, group: LockedGroup, run_id: string, state: Ticket['state']): Promise<Ticket[]> {
    const open = await listOpenTickets(tx, [run_id]);
    return open.filter((ticket) => sameGroup(ticket, group) && ticket.state === state);
  }
}

const sameGroup = (a: { project_id: string; group_key: string }, b: { project_id: string; group_key: string }) =>
  a.project_id === b.project_id && a.group_key === b.group_key;
