import type { Database, Transaction } from '../../../kernel/contracts/index.ts';
import type { LeaseOwner, LeaseOwnerKind, LeaseRequest, Leases, LeaseState, ReplacedRun } from '../contract.ts';
import { replacedBefore } from './group-views.ts';
import { checkGroup, groupKey } from '../domain/group.ts';
import {
  drawTicket,
  holderOf,
  type LockedGroup,
  lockGroup,
  mustChange,
  openGroup,
  openTickets,
  replaceBefore,
  type Ticket,
  ticketOf,
  waitingFor,
  settleGroup,
} from './rows.ts';

const OWNER = /^[\x21-\x7e]{0,64}$/;

interface StoreParts {
  database: Pick<Database, 'now'>;
  owners: () => readonly LeaseOwnerKind[];
  /** A queue advanced and its owner must be notified. Called after the commit. */
  granted: () => void;
}

/**
 * Tickets in the database. A group's row is locked before its tickets are read, so that grants are serialised. Nothing
 * here touches a row of the engine.
 */
export class LeaseStore implements Leases {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async take(tx: Transaction, request: LeaseRequest): Promise<LeaseState> {
    const group = await this.#lock(tx, request);
    const drawn = (await ticketOf(tx, request.owner)) ?? (await this.#draw(tx, group, request.owner));
    if (drawn.state === 'held') return { state: 'held', fence: drawn.fence! };
    if (drawn.state === 'shared') return { state: 'held', fence: group.fence };
    if (drawn.state !== 'waiting') throw new Error(`ticket ${drawn.ticket} of ${group.group_key} is ${drawn.state}`);
    return { state: 'waiting' };
  }

  async takeNow(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined> {
    const group = await this.#lock(tx, request);
    const holder = await holderOf(tx, group);
    if (holder && !this.#sharedBy(holder, request.owner)) return undefined;
    await this.#draw(tx, group, request.owner);
    return { fence: group.fence };
  }

  async release(tx: Transaction, owner: LeaseOwner): Promise<boolean> {
    const locked = await this.#lockTicket(tx, owner);
    return locked !== undefined && this.#end(tx, locked.group, locked.ticket);
  }

  /** Leaves the queue; false when the lease was granted meanwhile, or there is no ticket. */
  async leaveQueue(tx: Transaction, owner: LeaseOwner): Promise<boolean> {
    const locked = await this.#lockTicket(tx, owner);
    return locked?.ticket.state === 'waiting' && this.#end(tx, locked.group, locked.ticket);
  }

  /** A wait has timed out: leaves the queue, unless the lease was granted just now; then answers its fence. */
  async giveUp(tx: Transaction, owner: LeaseOwner): Promise<number | undefined> {
    const locked = await this.#lockTicket(tx, owner);
    if (!locked) return undefined;
    const { group, ticket } = locked;
    if (await this.told(tx, ticket)) return ticket.fence ?? group.fence;
    await this.#end(tx, group, ticket);
    return undefined;
  }

  /** Everything that these runs hold or wait for. */
  async releaseRuns(tx: Transaction, run_ids: readonly string[]): Promise<void> {
    const open = run_ids.length === 0 ? [] : await openTickets(tx, run_ids);
    const groups = new Map<string, Ticket[]>();
    for (const ticket of open) {
      const key = `${ticket.project_id} ${ticket.group_key}`;
      groups.set(key, [...(groups.get(key) ?? []), ticket]);
    }
    for (const [first] of groups.values()) {
      const group = await lockGroup(tx, first!, first!.group_key);
      if (!group) continue;
      // Waiting tickets first: a lease must not be passed to a run that has ended.
      const held = (await openTickets(tx, run_ids)).filter((one) => sameGroup(one, group));
      for (const ticket of held.sort((a, b) => Number(a.state === 'held') - Number(b.state === 'held')))
        await this.#end(tx, group, ticket);
    }
  }

  /** The owner was notified; false when that was no longer needed. */
  async told(tx: Transaction, ticket: Pick<Ticket, 'project_id' | 'group_key' | 'ticket'>): Promise<boolean> {
    const changed = await tx.write(
      `UPDATE locks_tickets SET to_tell = NULL WHERE project_id = ? AND group_key = ? AND ticket = ?
       AND to_tell IS NOT NULL AND state IN ('held', 'shared')`,
      [ticket.project_id, ticket.group_key, ticket.ticket],
    );
    return changed === 1;
  }

  async replaceEarlier(tx: Transaction, owner: LeaseOwner): Promise<void> {
    const ticket = await ticketOf(tx, owner);
    const group = ticket && (await lockGroup(tx, ticket, ticket.group_key));
    if (group) await replaceBefore(tx, group, ticket);
  }

  replaced(
    on: Pick<Transaction, 'read'>,
    owner: LeaseOwner,
    after: ReplacedRun | undefined,
    limit: number,
  ): Promise<ReplacedRun[]> {
    return replacedBefore(on, owner, after, limit);
  }

  #lock(tx: Transaction, { group, trusted, owner, org_id, project_id }: LeaseRequest): Promise<LockedGroup> {
    const name = checkGroup(group);
    if (!OWNER.test(owner.id) || !this.#parts.owners().some(({ kind }) => kind === owner.kind))
      throw new RangeError(`${owner.kind} ${owner.id} cannot own a lease`);
    return openGroup(tx, { org_id, project_id }, groupKey(name, trusted), { name, trusted });
  }

  /** An owner's ticket and its group; undefined when there is no ticket, or it is over and its group was removed. */
  async #lockTicket(tx: Transaction, owner: LeaseOwner): Promise<{ group: LockedGroup; ticket: Ticket } | undefined> {
    const seen = await ticketOf(tx, owner);
    const group = seen && (await lockGroup(tx, seen, seen.group_key));
    // Under the lock it may have changed: it may have been granted a moment ago.
    return group && { group, ticket: (await ticketOf(tx, owner))! };
  }

  /** A new ticket: it holds the lease when it is free, or shares the lease of its own run. */
  async #draw(tx: Transaction, group: LockedGroup, owner: LeaseOwner): Promise<Ticket> {
    const holder = await holderOf(tx, group);
    const ticket = await drawTicket(tx, group, owner, this.#parts.database.now());
    // A free group has no waiters but replaced ones: every release passes the lease on.
    if (!holder) await this.#grant(tx, group, ticket, false);
    else if (this.#sharedBy(holder, owner)) await this.#share(tx, ticket, false);
    return ticket;
  }

  #sharedBy(holder: Ticket, owner: LeaseOwner): boolean {
    return holder.run_id === owner.run_id && this.#shares(holder.owner_kind);
  }

  #shares(kind: string): boolean {
    return this.#parts.owners().some((known) => known.kind === kind && known.shares);
  }

  /** waiting → held. `tell`: its owner does not know yet. */
  #grant(tx: Transaction, group: LockedGroup, ticket: Ticket, tell: boolean): Promise<void> {
    return this.#hold(tx, group, ticket, tell ? this.#parts.database.now() : null);
  }

  /** waiting or shared → held, with the next fence. */
  async #hold(tx: Transaction, group: LockedGroup, ticket: Ticket, to_tell: number | null): Promise<void> {
    const now = this.#parts.database.now();
    const { project_id, group_key } = group;
    const { state } = ticket;
    group.fence += 1;
    Object.assign(ticket, { state: 'held', fence: group.fence, granted_at: now, to_tell });
    await mustChange(tx, 'UPDATE locks_groups SET fence = ? WHERE project_id = ? AND group_key = ?', [
      group.fence,
      project_id,
      group_key,
    ]);
    settleGroup(tx, group);
    await mustChange(
      tx,
      `UPDATE locks_tickets SET state = 'held', held = 1, fence = ?, granted_at = ?, to_tell = ?
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [group.fence, now, to_tell, project_id, group_key, ticket.ticket, state],
    );
  }

  async #share(tx: Transaction, ticket: Ticket, tell: boolean): Promise<void> {
    const now = this.#parts.database.now();
    Object.assign(ticket, { state: 'shared', granted_at: now, to_tell: tell ? now : null });
    await mustChange(
      tx,
      `UPDATE locks_tickets SET state = 'shared', joined = 1, granted_at = ?, to_tell = ?
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = 'waiting'`,
      [now, ticket.to_tell, ticket.project_id, ticket.group_key, ticket.ticket],
    );
  }

  /** Open → over. A held lease goes to the next in the queue in the same transaction. */
  async #end(tx: Transaction, group: LockedGroup, ticket: Ticket): Promise<boolean> {
    if (ticket.state === 'released' || ticket.state === 'cancelled') return false;
    const state = ticket.state === 'waiting' ? 'cancelled' : 'released';
    await mustChange(
      tx,
      `UPDATE locks_tickets SET state = ?, held = NULL, ended_at = ?, to_tell = NULL
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [state, this.#parts.database.now(), group.project_id, group.group_key, ticket.ticket, ticket.state],
    );
    if (ticket.state === 'held') await this.#passOn(tx, group, ticket.run_id);
    return true;
  }

  /**
   * To a ticket of the same run that shares the lease; otherwise to the next in the queue and all tickets of its run
   * that share it.
   */
  async #passOn(tx: Transaction, group: LockedGroup, run_id: string): Promise<void> {
    const [sharing] = await this.#ofRun(tx, group, run_id, 'shared');
    if (sharing) return this.#hold(tx, group, sharing, sharing.to_tell);
    const next = await this.#next(tx, group);
    if (!next) return;
    await this.#grant(tx, group, next, true);
    if (this.#shares(next.owner_kind))
      for (const also of await this.#ofRun(tx, group, next.run_id, 'waiting')) await this.#share(tx, also, true);
    tx.afterCommit(() => this.#parts.granted());
  }

  /** The first that waits and was not replaced. */
  async #next(tx: Transaction, group: LockedGroup): Promise<Ticket | undefined> {
    const from = group.replaced_below ?? 0;
    const own = group.replaced_by === null ? [] : await this.#ofRun(tx, group, group.replaced_by, 'waiting');
    return own.find(({ ticket }) => ticket < from) ?? (await waitingFor(tx, group, 1, { from }))[0];
  }

  async #ofRun(tx: Transaction, group: LockedGroup, run_id: string, state: Ticket['state']): Promise<Ticket[]> {
    const open = await openTickets(tx, [run_id]);
    return open.filter((ticket) => sameGroup(ticket, group) && ticket.state === state);
  }
}

const sameGroup = (a: { project_id: string; group_key: string }, b: { project_id: string; group_key: string }) =>
  a.project_id === b.project_id && a.group_key === b.group_key;
