import { type Database, Errors, failpoint, type Transaction } from '../../../../kernel/contracts/index.ts';
import { MAX_PERIOD_MS, MIN_PERIOD_MS } from '../../../engine/runs/contract.ts';
import type {
  LeaseOwner,
  LeaseOwnerKind,
  LeaseRequest,
  Leases,
  LeaseState,
  LeaseThrottle,
  ReplacedRun,
} from '../contract.ts';
import { listReplacedBefore } from './group-views.ts';
import { assertGroupName, groupKey } from '../domain/group.ts';
import {
  byQueuePosition,
  hasCapacity,
  limitOf,
  lowestFreeNumber,
  MAX_HOLDERS,
  queuePosition,
} from '../domain/queue-order.ts';
import {
  drawTicket,
  readHolders,
  type LockedGroup,
  lockGroup,
  writeOne,
  lockOrCreateGroup,
  listOpenTickets,
  replaceBefore,
  type Ticket,
  readTicket,
  listQueue,
  setNextStart,
  skipGroupGuard,
  throttleOf,
} from './rows.ts';
import { insertStart, readOpening } from './starts.ts';

const OWNER_ID = /^[\x21-\x7e]{0,64}$/;

interface LeaseStoreDeps {
  database: Pick<Database, 'now'>;
  owners: () => readonly LeaseOwnerKind[];
  /** Called after a commit in which a queue advanced, so that its new holder can be notified. */
  onGranted: () => void;
  /** Called after a commit that lets the first waiter of a group start at a later time. */
  onThrottled: () => void;
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
    const ticket =
      (await readTicket(tx, request.owner)) ??
      (await this.#drawTicket(tx, group, request, await readHolders(tx, group)));
    if (ticket.state === 'held') return { state: 'held', fence: ticket.fence! };
    if (ticket.state === 'shared') return { state: 'held', fence: group.fence };
    if (ticket.state !== 'waiting') throw new Error(`ticket ${ticket.ticket} of ${group.group_key} is ${ticket.state}`);
    return { state: 'waiting' };
  }

  async tryAcquire(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined> {
    const group = await this.#lockGroup(tx, request);
    const holders = await readHolders(tx, group);
    if (!this.#canShareAny(holders, request.owner) && !(await this.#canGrant(tx, group, request, holders)))
      return undefined;
    await this.#drawTicket(tx, group, request, holders);
    return { fence: group.fence };
  }

  /** Whether a ticket that is drawn now holds the lease at once: it fits beside the holders, and none waits before it. */
  async #canGrant(
    tx: Transaction,
    group: LockedGroup,
    request: LeaseRequest,
    holders: readonly Ticket[],
  ): Promise<boolean> {
    const { priority = 0, throttle } = request;
    if ((await this.#opensAt(tx, group, throttle)) > this.#deps.database.now()) return false;
    // A free group has no waiters except replaced and throttled ones, because every release passes the lease on.
    if (holders.length === 0 && group.throttled === null) return true;
    if (!hasCapacity(holders, limitOf(request))) return false;
    const next = await this.#findNext(tx, group);
    const ticket = group.last_ticket + 1;
    return next === undefined || byQueuePosition({ ticket, queue_position: queuePosition(ticket, priority) }, next) < 0;
  }

  /** When a throttle lets the next lease be granted: in the past without one. */
  async #opensAt(tx: Transaction, group: LockedGroup, throttle: LeaseThrottle | undefined): Promise<number> {
    return throttle === undefined ? 0 : readOpening(tx, group, throttle);
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
      // All of them end first, because a lease must not be passed to a run that has ended.
      const tickets = (await listOpenTickets(tx, run_ids)).filter((ticket) => sameGroup(ticket, group));
      for (const ticket of tickets) await this.#close(tx, group, ticket);
      if (this.#mayAdvance(group, tickets)) await this.#grantWaiting(tx, group);
    }
  }

  /** Grants a group again that may do so at a time that has come. */
  async openDue(tx: Transaction, due: { project_id: string; group_key: string }): Promise<void> {
    const group = await lockGroup(tx, due, due.group_key);
    if (!group || group.next_at === null || group.next_at > this.#deps.database.now()) return;
    await setNextStart(tx, group, null);
    await this.#grantWaiting(tx, group);
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

  async replaceEarlier(tx: Transaction, owner: LeaseOwner, { holders }: { holders: boolean }): Promise<void> {
    const ticket = await readTicket(tx, owner);
    const group = ticket && (await lockGroup(tx, ticket, ticket.group_key));
    if (!group) return;
    const holders_below = holders ? await this.#replacedHolders(tx, group, ticket) : 0;
    await replaceBefore(tx, group, ticket, holders_below);
  }

  /** The ticket below which holders make room for another one: the newest of them go on beside it. */
  async #replacedHolders(
    tx: Transaction,
    group: LockedGroup,
    { ticket, run_id, max_holders }: Ticket,
  ): Promise<number> {
    if (max_holders === null) return ticket;
    const holders = (await readHolders(tx, group)).filter((holder) => holder.run_id !== run_id);
    const newest = holders.map((holder) => holder.ticket).sort((a, b) => b - a);
    const capacity = Math.min(max_holders, ...holders.map((holder) => holder.max_holders ?? 1)) - 1;
    return newest.length > capacity ? newest[capacity]! + 1 : 0;
  }

  listReplaced(
    on: Pick<Transaction, 'read'>,
    owner: LeaseOwner,
    after: ReplacedRun | undefined,
    limit: number,
  ): Promise<ReplacedRun[]> {
    return listReplacedBefore(on, owner, after, limit);
  }

  #lockGroup(
    tx: Transaction,
    { group, trusted, owner, org_id, project_id, limit = 1, throttle }: LeaseRequest,
  ): Promise<LockedGroup> {
    const name = assertGroupName(group);
    if (!OWNER_ID.test(owner.id) || !this.#deps.owners().some(({ kind }) => kind === owner.kind))
      throw new RangeError(`${owner.kind} ${owner.id} cannot own a lease`);
    assertLimit(limit);
    if (throttle) assertThrottle(throttle);
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
  async #drawTicket(
    tx: Transaction,
    group: LockedGroup,
    request: LeaseRequest,
    holders: readonly Ticket[],
  ): Promise<Ticket> {
    const is_shared = this.#canShareAny(holders, request.owner);
    const is_granted = !is_shared && (await this.#canGrant(tx, group, request, holders));
    const ticket = await drawTicket(tx, group, request, this.#deps.database.now());
    if (is_shared) await this.#share(tx, ticket, false);
    else if (is_granted) await this.#grant(tx, group, ticket, { number: lowestFreeNumber(holders), notify: false });
    else if (request.throttle && hasCapacity(holders, limitOf(request)))
      await this.#awaitOpening(tx, group, await this.#opensAt(tx, group, request.throttle));
    return ticket;
  }

  #canShareAny(holders: readonly Ticket[], owner: LeaseOwner): boolean {
    return holders.some((holder) => holder.run_id === owner.run_id && this.#shares(holder.owner_kind));
  }

  #shares(kind: string): boolean {
    return this.#deps.owners().some((known) => known.kind === kind && known.shares);
  }

  /** Looks at the group again when the throttle of its first waiter may let it start. A free place comes by itself. */
  async #awaitOpening(tx: Transaction, group: LockedGroup, opens_at: number): Promise<void> {
    if (group.next_at !== null && group.next_at <= opens_at) return;
    await setNextStart(tx, group, opens_at);
    tx.afterCommit(() => this.#deps.onThrottled());
  }

  /** Grants the lease to a waiting ticket. With `notify`, its owner does not know yet. */
  async #grant(
    tx: Transaction,
    group: LockedGroup,
    ticket: Ticket,
    { number, notify }: { number: number; notify: boolean },
  ): Promise<void> {
    const { max_holders } = ticket;
    const now = this.#deps.database.now();
    await this.#makeHolder(tx, group, ticket, { held: number, max_holders, to_tell: notify ? now : null });
    const throttle = throttleOf(ticket);
    if (throttle === undefined) return;
    await insertStart(tx, group, { fence: group.fence, started_at: now, expires_at: now + throttle.period_ms });
  }

  /** Turns a waiting or shared ticket into a holder, with the next fence. */
  async #makeHolder(
    tx: Transaction,
    group: LockedGroup,
    ticket: Ticket,
    { held, max_holders, to_tell }: Pick<Ticket, 'held' | 'max_holders' | 'to_tell'>,
  ): Promise<void> {
    const now = this.#deps.database.now();
    const { project_id, group_key } = group;
    const { state } = ticket;
    group.fence += 1;
    Object.assign(ticket, { state: 'held', fence: group.fence, granted_at: now, to_tell, held, max_holders });
    await writeOne(tx, 'UPDATE locks_groups SET fence = ? WHERE project_id = ? AND group_key = ?', [
      group.fence,
      project_id,
      group_key,
    ]);
    skipGroupGuard(tx, group);
    await writeOne(
      tx,
      `UPDATE locks_tickets SET state = 'held', held = ?, max_holders = ?, fence = ?, granted_at = ?, to_tell = ?
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [held, max_holders, group.fence, now, to_tell, project_id, group_key, ticket.ticket, state],
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
    const { state } = ticket;
    if (!(await this.#close(tx, group, ticket))) return false;
    if (state === 'held' && (await this.#passToSameRun(tx, group, ticket))) return true;
    if (this.#mayAdvance(group, [{ state }])) await this.#grantWaiting(tx, group);
    return true;
  }

  async #close(tx: Transaction, group: LockedGroup, { ticket, state: before }: Ticket): Promise<boolean> {
    if (before === 'released' || before === 'cancelled') return false;
    const state = before === 'waiting' ? 'cancelled' : 'released';
    await writeOne(
      tx,
      `UPDATE locks_tickets SET state = ?, held = NULL, ended_at = ?, to_tell = NULL
       WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = ?`,
      [state, this.#deps.database.now(), group.project_id, group.group_key, ticket, before],
    );
    return true;
  }

  /**
   * Whether the queue may advance after these tickets. In a group with several holders the first waiter may need more room
   * than those behind it, and its throttle may keep it longer than theirs, so that they advance when it leaves the queue.
   */
  #mayAdvance({ limited, throttled }: LockedGroup, ended: readonly Pick<Ticket, 'state'>[]): boolean {
    const passes = limited !== null || throttled !== null;
    return ended.some(({ state }) => state === 'held' || (state === 'waiting' && passes));
  }

  /** Passes an ended lease to a ticket of the same run that shares it. Returns false if there is none. */
  async #passToSameRun(tx: Transaction, group: LockedGroup, { run_id, held, max_holders }: Ticket): Promise<boolean> {
    const [sharing] = await this.#ticketsOfRun(tx, group, run_id, 'shared');
    if (!sharing) return false;
    // Another place of the run may be what it shares.
    if (group.limited !== null && (await readHolders(tx, group)).some((holder) => holder.run_id === run_id))
      return false;
    await this.#makeHolder(tx, group, sharing, { held, max_holders, to_tell: sharing.to_tell });
    return true;
  }

  /** Grants free places to the next in the queue, and to all tickets of their runs that share them. */
  async #grantWaiting(tx: Transaction, group: LockedGroup): Promise<void> {
    // In a group without limits, a holder has just ended, and nobody else has held it.
    const holders = group.limited === null && group.throttled === null ? [] : await readHolders(tx, group);
    for (;;) {
      const next = await this.#findNext(tx, group);
      if (!next || !hasCapacity(holders, next.max_holders ?? 1)) break;
      const opens_at = await this.#opensAt(tx, group, throttleOf(next));
      if (opens_at > this.#deps.database.now()) {
        await this.#awaitOpening(tx, group, opens_at);
        break;
      }
      await this.#grant(tx, group, next, { number: lowestFreeNumber(holders), notify: true });
      holders.push(next);
      if (this.#shares(next.owner_kind))
        for (const also of await this.#ticketsOfRun(tx, group, next.run_id, 'waiting'))
          await this.#share(tx, also, true);
      failpoint('locks.granted');
      tx.afterCommit(() => this.#deps.onGranted());
      if (next.max_holders === null) break;
    }
    const [first] = holders;
    if (first !== undefined && holders.every(({ held }) => held !== 1)) await this.#makeFirst(tx, group, first);
  }

  /** Gives a holder the number 1, by which lists find the group. */
  async #makeFirst(tx: Transaction, { project_id, group_key }: LockedGroup, holder: Ticket): Promise<void> {
    holder.held = 1;
    await writeOne(
      tx,
      `UPDATE locks_tickets SET held = 1 WHERE project_id = ? AND group_key = ? AND ticket = ? AND state = 'held'`,
      [project_id, group_key, holder.ticket],
    );
  }

  /** Returns the first waiting ticket that was not replaced. */
  async #findNext(tx: Transaction, group: LockedGroup): Promise<Ticket | undefined> {
    const from = group.replaced_below ?? 0;
    const own_tickets =
      group.replaced_by === null ? [] : await this.#ticketsOfRun(tx, group, group.replaced_by, 'waiting');
    const excepted = own_tickets.filter(({ ticket }) => ticket < from);
    return [...excepted, ...(await listQueue(tx, group, 1, from))].sort(byQueuePosition)[0];
  }

  async #ticketsOfRun(tx: Transaction, group: LockedGroup, run_id: string, state: Ticket['state']): Promise<Ticket[]> {
    const open = await listOpenTickets(tx, [run_id]);
    return open.filter((ticket) => sameGroup(ticket, group) && ticket.state === state);
  }
}

function assertLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_HOLDERS) return;
  const message = `must be a whole number from 1 to ${MAX_HOLDERS}`;
  throw Errors.invalidRequest(`the group limit ${message}`, { errors: [{ pointer: '/limit', message }] });
}

/** The bounds of a throttle, as handlers have them. */
const MAX_STARTS = 1000;

function assertThrottle({ limit, period_ms }: LeaseThrottle): void {
  const errors = [
    ...(Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_STARTS
      ? []
      : [{ pointer: '/throttle/limit', message: `must be a whole number from 1 to ${MAX_STARTS}` }]),
    ...(period_ms >= MIN_PERIOD_MS && period_ms <= MAX_PERIOD_MS
      ? []
      : [{ pointer: '/throttle/period', message: 'must be 1s to 7d' }]),
  ];
  if (errors.length === 0) return;
  throw Errors.invalidRequest(`the throttle of a group is invalid: ${errors[0]!.pointer} ${errors[0]!.message}`, {
    errors,
  });
}

const sameGroup = (a: { project_id: string; group_key: string }, b: { project_id: string; group_key: string }) =>
  a.project_id === b.project_id && a.group_key === b.group_key;
