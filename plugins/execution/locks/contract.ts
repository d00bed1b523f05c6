import { extensionPoint, token, type Transaction } from '../../../kernel/contracts/index.ts';

/** The scope of groups; groups of different projects are independent. */
export interface LeaseScope {
  org_id: string;
  project_id: string;
}

/** The holder of a lease, or a waiter in its queue. The three members together are unique. */
export interface LeaseOwner {
  run_id: string;
  /** A registered `LeaseOwnerKind`. */
  kind: string;
  /** Distinguishes owners of the same run and kind. At most 64 printable characters, '' for the run itself. */
  id: string;
}

export interface LeaseRequest extends LeaseScope {
  /** 1 to 255 characters without control characters. */
  group: string;
  /** Whether the owner's run is trusted. Untrusted runs have separate groups. */
  trusted: boolean;
  owner: LeaseOwner;
  /**
   * How many owners may hold the group at once, this one included: 1 to 1000. The lowest limit applies. Default: 1, or with a
   * throttle 1000.
   */
  limit?: number | undefined;
  /** The owner waits until fewer owners with a throttle than this have got the lease in the last period. */
  throttle?: LeaseThrottle | undefined;
  /** 0 (the default) to 9. A higher one passes waiting tickets with lower ones, but at most 100 for each level. */
  priority?: number | undefined;
}

/** How many leases of a group are granted in any period of this length: 1 to 1000 in 1 second to 7 days. */
export interface LeaseThrottle {
  limit: number;
  period_ms: number;
}

/** `fence` increases with every grant of the group. */
export type LeaseState = { state: 'held'; fence: number } | { state: 'waiting' };

/** A ticket of a group: that of its holder or of a waiter. Times are epoch milliseconds. */
export interface LeaseTicket extends LeaseOwner {
  /** When it was requested. */
  asked_at: number;
}

export interface LeaseHolder extends LeaseTicket {
  since: number;
  fence: number;
}

export interface GroupView {
  group: string;
  trusted: boolean;
  /** How many may hold it at once: the lowest limit of its holders. */
  limit: number;
  /** One of `holders`. Absent: nobody holds it, and its throttle keeps those that wait. */
  holder?: LeaseHolder | undefined;
  /** At most 100. */
  holders: LeaseHolder[];
  holder_count: number;
  /** In the order of grants, at most 100. */
  queue: LeaseTicket[];
  queue_length: number;
  /** The throttle of the first in the queue. */
  throttle?: LeaseThrottle | undefined;
  /** When the throttle lets the first in the queue start; absent: it does not keep it. */
  next_at?: number | undefined;
}

/**
 * The leases of a project, used by `svc lock` and the concurrency groups of pipelines. Every method except `replaced`
 * works in the transaction of its caller, who has locked the row of the owner's run. Everything that a run holds or
 * waits for is released in the transaction that ends it.
 */
export interface Leases {
  /** Acquires the lease or joins the queue. A repeat returns the current state. Throws `invalid_request`. */
  acquire(tx: Transaction, request: LeaseRequest): Promise<LeaseState>;
  /** Acquires the lease without joining the queue; returns undefined when another owner holds it or waits for it. */
  tryAcquire(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined>;
  /**
   * Releases the lease or leaves the queue. The next in the queue then holds the lease. Returns false if there was
   * neither.
   */
  release(tx: Transaction, owner: LeaseOwner): Promise<boolean>;
  /** Leaves the queue but keeps a held lease. Returns false if the owner was not in a queue. */
  leaveQueue(tx: Transaction, owner: LeaseOwner): Promise<boolean>;
  /**
   * Grants the lease to no waiting run that came before this owner's any more, except to the tickets of its own run.
   * With `holders`, those that came first are replaced as well, so that this owner fits in. The caller must cancel the
   * runs that `listReplaced` lists. Does nothing without a ticket.
   */
  replaceEarlier(tx: Transaction, owner: LeaseOwner, replaces: { holders: boolean }): Promise<void>;
  /**
   * Returns the holders that `replaceEarlier` has replaced, then the tickets before this owner's in the queue, in order,
   * starting after `after`. Several may belong to the same run, even the owner's.
   */
  listReplaced(
    on: Pick<Transaction, 'read'>,
    owner: LeaseOwner,
    after: ReplacedRun | undefined,
    limit: number,
  ): Promise<ReplacedRun[]>;
}

export const Leases = token<Leases>('locks.Leases');

/** A ticket that was replaced by a later one. */
export interface ReplacedRun {
  run_id: string;
  ticket: number;
  held: boolean;
}

/** A lease that was granted to a waiting owner. */
export interface Grant extends LeaseRequest {
  fence: number;
}

/** A kind of lease owner. */
export interface LeaseOwnerKind {
  kind: string;
  /** Whether another request of the same run for a group that such an owner holds is granted at once. */
  shares: boolean;
  /**
   * Called when the lease that this owner waited for is granted, in a transaction of its own that has locked nothing
   * yet; the org's keys are ready. Returns false when nobody needs the lease any more, which releases it. Two servers
   * may call it at the same time and only one call counts, so a repeat may return anything.
   */
  granted(tx: Transaction, grant: Grant): Promise<boolean>;
}

export const LeaseOwners = extensionPoint<LeaseOwnerKind>('locks.LeaseOwners', { key: ({ kind }) => kind });
