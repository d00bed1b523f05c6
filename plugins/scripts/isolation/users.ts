import type { Ids } from '../../../kernel/contracts/index.ts';

/** User ids that systemd keeps for services without an account; no file of a machine belongs to one. */
const FIRST = 61_184;
const COUNT = 4_336;

/** Users for isolated programs, each given to one pass at a time. Needed only where the agent is root. */
export class Users {
  readonly #ids: Pick<Ids, 'bytes'>;
  readonly #taken = new Set<number>();

  constructor(ids: Pick<Ids, 'bytes'>) {
    this.#ids = ids;
  }

  /** Begins anywhere, so that two agents of a machine rarely give out the same. */
  take(): number {
    const start = this.#ids.bytes(2).readUInt16BE(0) % COUNT;
    for (let n = 0; n < COUNT; n++) {
      const user = FIRST + ((start + n) % COUNT);
      if (this.#taken.has(user)) continue;
      this.#taken.add(user);
      return user;
    }
    throw new Error(`more than ${COUNT} isolated programs run at the same time`);
  }

  free(user: number): void {
    this.#taken.delete(user);
  }
}
