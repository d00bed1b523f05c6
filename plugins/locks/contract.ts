import { extensionPoint, token, type Transaction } from '../../kernel/contracts/index.ts';

/** The scope of groups: groups of different projects are independent. */
export interface LeaseScope {
  org_id: string;
  project_id: string;
}

/** The holder of a lease, or a waiter in its queue. The three members together are unique. */
export interface LeaseOwner {
  run_id: string;
  /** A registered `LeaseOwnerKind`. */
  kind: string;
  /** Distinguishes owners of one run and kind; at most 64 printable characters, `''` for the run itself. */
  id: string;
}

export interface LeaseRequest extends LeaseScope {
  /** 1 to 255 characters, no control characters. */
  group: string;
  /** As the owner's run is. Runs that are not trusted have groups of their own. */
  trusted: boolean;
  owner: LeaseOwner;
}

/** `fence` rises with every grant of the group. */
export type LeaseState = { state: 'held'; fence: number } | { state: 'waiting' };

/** A ticket of a group: its holder's, or one in the queue. Times are epoch ms. */
export interface LeasePlace extends LeaseOwner {
  /** When it was requested. */
  asked_at: number;
}

export interface LeaseHolder extends LeasePlace {
  since: number;
  fence: number;
}

export interface GroupView {
  group: string;
  trusted: boolean;
  holder: LeaseHolder;
  /** In order of grants; at most 100. */
  queue: LeasePlace[];
  queue_length: number;
}

/**
 * The leases of a project: `svc lock`, and the concurrency groups of pipelines. Every method except `replaced` works in
 * the transaction of its caller, who holds the row of the owner's run. Everything that a run holds or waits for is
 * released in the transaction that ends it.
 */
export interface Leases {
  /** Takes the lease, or joins the queue. A repeat answers the present state. Throws `invalid_request`. */
  take(tx: Transaction, request: LeaseRequest): Promise<LeaseState>;
  /** The same without joining the queue: undefined when another owner holds the lease or waits for it. */
  takeNow(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined>;
  /** Releases the lease, or leaves the queue; the next in the queue then holds it. False when there was neither. */
  release(tx: Transaction, owner: LeaseOwner): Promise<boolean>;
  /** Leaves the queue; a lease that is held stays. False when there was no place in a queue. */
  leaveQueue(tx: Transaction, owner: LeaseOwner): Promise<boolean>;
  /**
   * From now on no run that came before this owner's is granted the lease; its own run's places stay. Whoever calls this
   * cancels the runs that `replaced` lists. Does nothing without a ticket.
   */
  replaceEarlier(tx: Transaction, owner: LeaseOwner): Promise<void>;
  /**
   * The holder of the group, if it came before this owner, then the places before it in the queue, in order: those
   * after one. Several may be of one run, also of its own.
   */
  replaced(
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
  /** A further request of the same run for a group that such an owner holds is granted at once. */
  shares: boolean;
  /**
   * The lease that this owner waited for is granted. Called in its own transaction that has locked nothing yet; the
   * org's keys are ready. False when nobody needs the lease any more: it is released. Two servers may call it at the
   * same time and only one call counts: a repeat may answer anything.
   */
  granted(tx: Transaction, grant: Grant): Promise<boolean>;
}

export const LeaseOwners = extensionPoint<LeaseOwnerKind>('locks.LeaseOwners', { key: ({ kind }) => kind });
