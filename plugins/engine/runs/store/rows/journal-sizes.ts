import { BoundedMap, type Database } from '../../../../../kernel/contracts/index.ts';
import { type RunLimits, shownBytes } from '../../contract.ts';
import { runStorageLimit } from '../../errors.ts';
import type { ActivityTraits } from './activities.ts';
import { OUTPUT_BYTES, WITH_OUTPUTS } from './journal.ts';

const MAX_CACHED_JOURNALS = 2_000;

/**
 * How many bytes the journals of trusted activities have, because a claim reads a whole journal into memory, here and on the
 * agent. The sizes are kept in memory: a claim sets them, records add to them, and a server that has neither reads
 * the size once. So the limit costs no statement per record, and servers that append at the same moment can exceed it by a few.
 *
 * The calls of untrusted runs are counted in the database (`countCalls`), since their limit also covers what no claim reads.
 */
export class JournalSizes {
  readonly #bytes = new BoundedMap<string, number>(MAX_CACHED_JOURNALS);
  readonly #database: Pick<Database, 'read'>;
  readonly #limit: number;

  constructor(database: Pick<Database, 'read'>, { run }: Pick<RunLimits, 'run'>) {
    this.#database = database;
    this.#limit = run.trusted.calls;
  }

  /** Sets the size of a journal that a claim has read. */
  set(activity_id: string, bytes: number): void {
    this.#bytes.set(activity_id, bytes);
  }

  /** Makes the size of a trusted activity's journal known, outside of transactions. */
  async prepare({ activity_id, run_id, trusted }: ActivityTraits): Promise<void> {
    if (!trusted || this.#limit === Infinity || this.#bytes.get(activity_id) !== undefined) return;
    const [row] = await this.#database.read<{ bytes: number | null }>(
      `SELECT SUM(s.bytes) AS bytes FROM (
         SELECT ${OUTPUT_BYTES} FROM ${WITH_OUTPUTS} WHERE j.run_id = ? AND j.activity_id = ?) s`,
      [run_id, activity_id],
    );
    this.set(activity_id, Number(row?.bytes ?? 0));
  }

  /** Returns an error if a record with so many bytes does not fit in the journal. */
  checkRoom({ activity_id, trusted }: Pick<ActivityTraits, 'activity_id' | 'trusted'>, bytes: number) {
    if (!trusted || (this.#bytes.get(activity_id) ?? 0) + bytes <= this.#limit) return undefined;
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
