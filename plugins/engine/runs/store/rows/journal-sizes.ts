import { BoundedMap, type ServiceError } from '../../../../../kernel/contracts/index.ts';
import { type RunLimits, shownBytes } from '../../contract.ts';
import { runStorageLimit } from '../../errors.ts';
import type { ActivityOwner, ActivityTraits } from './activities.ts';

const MAX_CACHED_JOURNALS = 2_000;

/**
 * How many bytes the journals of trusted activities have, because a claim reads a whole journal into memory, here and on the
 * agent. The sizes are kept in memory: a claim sets them, records add to them, and a server that has neither reads
 * the size once. So the limit costs no statement per record, and concurrent calls can exceed it by their own sizes.
 *
 * The calls of untrusted runs are counted in the database (`countCalls`), since their limit also covers what no claim reads.
 */
export class JournalSizes {
  readonly #bytes = new BoundedMap<string, number>(MAX_CACHED_JOURNALS);
  readonly #read: (at: ActivityOwner) => Promise<number>;
  readonly #limit: number;

  /** `read` returns the bytes of a journal. */
  constructor(read: (at: ActivityOwner) => Promise<number>, { run }: Pick<RunLimits, 'run'>) {
    this.#read = read;
    this.#limit = run.trusted.calls;
  }

  /** Sets the size of a trusted activity's journal, which a claim has read. */
  set(activity_id: string, bytes: number): void {
    this.#bytes.set(activity_id, bytes);
  }

  /** Makes the size of a trusted activity's journal known, outside of transactions. */
  async prepare(activity: ActivityTraits): Promise<void> {
    const { activity_id, trusted } = activity;
    if (!trusted || this.#limit === Infinity || this.#bytes.get(activity_id) !== undefined) return;
    this.set(activity_id, await this.#read(activity));
  }

  /** Returns an error if so many more bytes exceed the limit of a trusted activity's journal. */
  checkLimit(activity_id: string, bytes: number): ServiceError | undefined {
    if ((this.#bytes.get(activity_id) ?? 0) + bytes <= this.#limit) return undefined;
    return runStorageLimit(
      `the recorded calls of a script can have ${shownBytes(this.#limit)} of output in total (calls in SVC_RUN_LIMITS), and this call exceeds that limit`,
    );
  }

  /** Counts a record that was committed. */
  add(activity_id: string, bytes: number): void {
    const before = this.#bytes.get(activity_id);
    if (before !== undefined) this.#bytes.set(activity_id, before + bytes);
  }
}
