import type { SlotUse } from '../../../engine/runs/contract.ts';

type Kind = 'all' | 'untrusted';

/** How many slots a worker has, and how many of them untrusted work may use. */
export type PoolSizes = Record<Kind, number>;

/**
 * Shares the slots of a worker that serves several orgs, such as a server's own requests. An org uses at most half of the slots
 * that the others leave, so another org finds a free one although a request can take an hour. The same applies to the
 * slots for untrusted work. A server with a single org has no such limit.
 */
export class OrgPool {
  readonly #sizes: () => PoolSizes;
  readonly #hasSeveralOrgs: () => boolean;
  readonly #totals: PoolSizes = { all: 0, untrusted: 0 };
  readonly #orgs = new Map<string, PoolSizes>();

  constructor(sizes: () => PoolSizes, hasSeveralOrgs: () => boolean) {
    this.#sizes = sizes;
    this.#hasSeveralOrgs = hasSeveralOrgs;
  }

  isFull({ org_id, trusted }: Pick<SlotUse, 'org_id' | 'trusted'>): boolean {
    const org = this.#orgs.get(org_id);
    if (org === undefined || !this.#hasSeveralOrgs()) return false;
    return this.#isAtLimit(org, 'all') || (!trusted && this.#isAtLimit(org, 'untrusted'));
  }

  /** The orgs that get no more slots for such work. */
  full({ trusted }: Pick<SlotUse, 'trusted'>): string[] {
    return [...this.#orgs.keys()].filter((org_id) => this.isFull({ org_id, trusted }));
  }

  add(use: Pick<SlotUse, 'org_id' | 'trusted'>): void {
    this.#count(use, 1);
  }

  /** Returns true when an org was full and has slots again. */
  remove(use: Pick<SlotUse, 'org_id' | 'trusted'>): boolean {
    const before = this.#countFull();
    this.#count(use, -1);
    return this.#countFull() < before;
  }

  #countFull(): number {
    return this.full({ trusted: true }).length + this.full({ trusted: false }).length;
  }

  #count({ org_id, trusted }: Pick<SlotUse, 'org_id' | 'trusted'>, by: 1 | -1): void {
    const org = this.#orgs.get(org_id) ?? { all: 0, untrusted: 0 };
    for (const kind of trusted ? (['all'] as const) : (['all', 'untrusted'] as const)) {
      org[kind] += by;
      this.#totals[kind] += by;
    }
    if (org.all === 0) this.#orgs.delete(org_id);
    else this.#orgs.set(org_id, org);
  }

  #isAtLimit(org: PoolSizes, kind: Kind): boolean {
    const left_by_others = this.#sizes()[kind] - (this.#totals[kind] - org[kind]);
    return org[kind] >= Math.max(1, Math.ceil(left_by_others / 2));
  }
}
