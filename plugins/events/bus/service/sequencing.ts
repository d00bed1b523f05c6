import { BoundedMap, type Database, type Queries } from '../../../../kernel/contracts/index.ts';
import type { Sequencing } from '../domain/sequencing-setting.ts';
import { type Head, releaseHeads, readHolder } from '../store/heads.ts';

/**
 * How long a server goes on numbering the events of a project after it last did. A crashed server is missed for as
 * long.
 */
const LEASE_MS = 1500;
const MAX_PROJECTS = 1000;

/** A lease longer than any can be comes from a clock that runs ahead, and does not count. */
const isExpired = (until: number, now: number): boolean => until <= now || until > now + 2 * LEASE_MS;

interface HeadLease {
  holder: string;
  /** By the database's clock. */
  until: number;
}

/**
 * Decides which server numbers the events of a project. Where every database node certifies transactions by itself,
 * servers on different nodes that all write a project's head would abort each other. There, one of them holds the
 * head for a while and the others forward their events through the outbox. This is only about speed: the head's row
 * decides, whoever writes it.
 */
export class Sequencer {
  readonly id: string;
  readonly #database: Pick<Database, 'now' | 'usesCommitCertification'>;
  readonly #sequencing: Sequencing;
  #released = false;
  readonly #leases = new BoundedMap<string, HeadLease>(MAX_PROJECTS);

  constructor(id: string, database: Pick<Database, 'now' | 'usesCommitCertification'>, sequencing: Sequencing) {
    this.id = id;
    this.#database = database;
    this.#sequencing = sequencing;
  }

  /**
   * False where all servers share one database node, or there is only one: then every server numbers what it records.
   */
  get isEnabled(): boolean {
    return this.#sequencing === 'on' || (this.#sequencing === 'auto' && this.#database.usesCommitCertification());
  }

  /** True when another server numbers this project's events at the moment. */
  async isNumberedElsewhere(on: Pick<Queries, 'read'>, project_id: string): Promise<boolean> {
    if (!this.isEnabled) return false;
    const now = this.#database.now();
    const cached = this.#leases.get(project_id);
    if (cached && !isExpired(cached.until, now)) return cached.holder !== this.id;
    const lease = await readHolder(on, project_id);
    if (!lease) return false;
    this.#leases.set(project_id, lease);
    return lease.holder !== this.id && !isExpired(lease.until, now);
  }

  /** Returns the holder to write with the locked head. An expired lease passes to this server. */
  leaseFor(project_id: string, head: Head): HeadLease {
    const now = this.#database.now();
    const available = head.holder === this.id || isExpired(head.until, now);
    const lease = { holder: this.id, until: this.#released ? 0 : now + LEASE_MS };
    const chosen = this.isEnabled && available ? lease : head;
    this.#leases.set(project_id, { holder: chosen.holder, until: chosen.until });
    return chosen;
  }

  /** With the head locked: whether this server may number events that nobody waits for. */
  mayNumber(head: Head): boolean {
    return !this.isEnabled || this.canDrain(head);
  }

  /** With the head locked: whether this server may number forwarded events. */
  canDrain(head: Head): boolean {
    return head.holder === this.id || isExpired(head.until, this.#database.now());
  }

  /** Releases every head at once. From then on this server numbers what it records, and nothing for others. */
  async release(on: Pick<Queries, 'write'>): Promise<void> {
    this.#released = true;
    if (this.isEnabled) await releaseHeads(on, this.id);
  }
}
