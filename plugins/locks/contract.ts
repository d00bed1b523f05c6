import { extensionPoint, token, type Transaction } from '../../kernel/contracts/index.ts';

/** Where groups live: a group of one project has nothing to do with one of another. */
export interface LeaseScope {
  org_id: string;
  project_id: string;
}

/** What holds a lease or stands in the queue for one. The three together are unique. */
export interface LeaseOwner {
  run_id: string;
  /** A registered `LeaseOwnerKind`. */
  kind: string;
  /** Tells owners of one run and kind apart; at most 64 printable characters, `''` for the run as a whole. */
  id: string;
}

export interface LeaseRequest extends LeaseScope {
  /** 1 to 255 characters, no control characters. */
  group: string;
  owner: LeaseOwner;
}

/** `fence` rises with every grant of the group. */
export type LeaseState = { state: 'held'; fence: number } | { state: 'waiting'; ahead: number };

/** A place in a group: its holder's, or one in the queue. Times are epoch ms. */
export interface LeasePlace extends LeaseOwner {
  /** When it was asked for. */
  asked_at: number;
}

export interface LeaseHolder extends LeasePlace {
  since: number;
  fence: number;
}

export interface GroupView {
  group: string;
  holder: LeaseHolder;
  /** In the order in which they will be granted; at most 100. */
  queue: LeasePlace[];
  queue_length: number;
}

/**
 * The one lease space of a project: `svc lock`, and the concurrency groups of pipelines. Every method but `group` works
 * in a transaction of its caller, who holds the row of the owner's run. Whatever a run holds or waits for is given up
 * in the transaction that ends it.
 */
export interface Leases {
  /** Takes the lease, or a place in the queue. A repeat answers how it stands by now. Throws `invalid_request`. */
  take(tx: Transaction, request: LeaseRequest): Promise<LeaseState>;
  /** The same, but takes no place in a queue: undefined when another holds the lease or waits for it. */
  takeNow(tx: Transaction, request: LeaseRequest): Promise<{ fence: number } | undefined>;
  /** Gives up the lease, or the place in the queue; the next of the queue holds it then. False when there was neither. */
  release(tx: Transaction, owner: LeaseOwner): Promise<boolean>;
  /** Who holds a group and who waits for it; undefined when nobody does. */
  group(on: Pick<Transaction, 'read'>, scope: LeaseScope, group: string): Promise<GroupView | undefined>;
}

export const Leases = token<Leases>('locks.Leases');

/** A lease that was granted to a place in a queue. */
export interface Grant extends LeaseRequest {
  fence: number;
}

/** Something that may own leases. */
export interface LeaseOwnerKind {
  kind: string;
  /** A further request of the same run for a group that such an owner holds is granted at once. */
  shares: boolean;
  /**
   * The lease for which this owner stood in the queue is its own now. In a transaction that does nothing else and that
   * has locked nothing yet; the org's keys are ready. False when nobody wants the lease any more: it is released. Two
   * servers may say the same at once, and only one of them is believed: a repeat may answer anything.
   */
  granted(tx: Transaction, grant: Grant): Promise<boolean>;
}

export const LeaseOwners = extensionPoint<LeaseOwnerKind>('locks.LeaseOwners', { key: ({ kind }) => kind });
