import { BoundedMap, type Database, type Queries } from '../../../kernel/contracts/index.ts';
import type { Sequencing } from '../domain/sequencing-setting.ts';
import { type Head, letGo, readHolder } from '../store/heads.ts';

/** How long a server numbers the events of a project after it last did. A dead one is missed for so long. */
const LEASE_MS = 1500;
const MAX_PROJECTS = 1000;

/** A lease that is longer than any can be was given by a clock that is ahead: it is none. */
const ends = (until: number, now: number): boolean => until <= now || until > now + 2 * LEASE_MS;

interface Held {
  holder: string;
  /** By the database's clock. */
  until: number;
}

/**
 * Which server numbers the events of a project. Where every database node certifies transactions by itself, servers on
 * different nodes that all write a project's head would abort each other: there one of them holds the head for a while,
 * and the others hand their events over in the outbox. It is only about speed: the head's row decides, whoever writes it.
 */
export class Sequencer {
  readonly id: string;
  readonly #database: Pick<Database, 'now' | 'certifies'>;
  readonly #sequencing: Sequencing;
  #leaving = false;
  readonly #held = new BoundedMap<string, Held>(MAX_PROJECTS);

  constructor(id: string, database: Pick<Database, 'now' | 'certifies'>, sequencing: Sequencing) {
    this.id = id;
    this.#database = database;
    this.#sequencing = sequencing;
  }

  /** False where all servers share one database node, or are one: then every server numbers what it records. */
  get handsOver(): boolean {
    return this.#sequencing === 'on' || (this.#sequencing === 'auto' && this.#database.certifies());
  }

  /** True when another server numbers this project's events now. */
  async elsewhere(on: Pick<Queries, 'read'>, project_id: string): Promise<boolean> {
    if (!this.handsOver) return false;
    const now = this.#database.now();
    const known = this.#held.get(project_id);
    if (known && !ends(known.until, now)) return known.holder !== this.id;
    const read = await readHolder(on, project_id);
    if (!read) return false;
    this.#held.set(project_id, read);
    return read.holder !== this.id && !ends(read.until, now);
  }

  /** The head is locked: the holder to write with it. An ended lease passes to this server. */
  held(project_id: string, head: Head): Held {
    const now = this.#database.now();
    const free = head.holder === this.id || ends(head.until, now);
    const own = { holder: this.id, until: this.#leaving ? 0 : now + LEASE_MS };
    const held = this.handsOver && free ? own : head;
    this.#held.set(project_id, { holder: held.holder, until: held.until });
    return held;
  }

  /** The head is locked: may this server number what others have handed over? */
  mayDrain(head: Head): boolean {
    return head.holder === this.id || ends(head.until, this.#database.now());
  }

  /** Leaves every head to others at once: this server numbers what it records, and nothing for others. */
  async leave(on: Pick<Queries, 'write'>): Promise<void> {
    this.#leaving = true;
    if (this.handsOver) await letGo(on, this.id);
  }
}
