import type { Ids } from '../../../../kernel/contracts/index.ts';

/** User ids that systemd reserves for services without an account; no file of a machine belongs to them. */
const FIRST_UID = 61_184;
const UID_COUNT = 4_336;

/** Users for isolated programs, each used by one pass at a time. Needed only if the agent is root. */
export class UidPool {
  readonly #ids: Pick<Ids, 'bytes'>;
  readonly #in_use = new Set<number>();

  constructor(ids: Pick<Ids, 'bytes'>) {
    this.#ids = ids;
  }

  /** Starts at a random id, so that two agents of a machine rarely use the same. */
  allocate(): number {
    const start = this.#ids.bytes(2).readUInt16BE(0) % UID_COUNT;
    for (let n = 0; n < UID_COUNT; n++) {
      const user = FIRST_UID + ((start + n) % UID_COUNT);
      if (this.#in_use.has(user)) continue;
      this.#in_use.add(user);
      return user;
    }
    throw new Error(`more than ${UID_COUNT} isolated programs run at the same time`);
  }

  release(user: number): void {
    this.#in_use.delete(user);
  }
}
