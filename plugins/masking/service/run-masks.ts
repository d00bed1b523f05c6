import { createHash } from 'node:crypto';
import { type Database, failpoint, type Ids, type Sealer } from '../../../kernel/contracts/index.ts';
import { type MaskedRun, type Masker, type Maskers, type RunMasks, SHORTEST_MASKED } from '../contract.ts';
import { insertSet, linkRun, readSet, setsOfRuns } from '../store/mask-sets.ts';

/** Sets of values kept in memory, and runs known to have theirs. */
const MOST_SETS = 512;
const MOST_RUNS = 10_000;

export interface RunMasksParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  maskers: Maskers;
}

type Scope = Omit<MaskedRun, 'run_id'>;

/**
 * Runs of a project share the rows of what they were given: a run costs one short row, a change of the project's
 * secrets (and a start of a server) one long one. What a run has is read anew for every view, because another server
 * may have given it more; the values behind a set never change, so those are kept.
 */
export class SealedRunMasks implements RunMasks {
  readonly #parts: RunMasksParts;
  /** Set by project and digest of its values. The digest stays in this process: stored, it would tell what to try. */
  readonly #known = new Recent<string>(MOST_SETS);
  readonly #values = new Recent<readonly string[]>(MOST_SETS);
  readonly #linked = new Recent<true>(MOST_RUNS);

  constructor(parts: RunMasksParts) {
    this.#parts = parts;
  }

  async remember(run: MaskedRun, given: readonly string[]): Promise<readonly string[]> {
    const values = [...new Set(given)].filter((value) => Buffer.byteLength(value) >= SHORTEST_MASKED).sort();
    // Refused here rather than on the agent: what cannot be masked is not given out.
    this.#parts.maskers.masker(values);
    if (values.length > 0) await this.#keep(run, values);
    const all = await this.#valuesOf(run, await this.#setsOf(run.run_id));
    this.#parts.maskers.masker(all);
    return all;
  }

  async of(run: MaskedRun): Promise<Masker> {
    return this.#parts.maskers.masker(await this.#valuesOf(run, await this.#setsOf(run.run_id)));
  }

  async ofMany(scope: Scope, run_ids: readonly string[]): Promise<ReadonlyMap<string, Masker>> {
    const sets = await setsOfRuns(this.#parts.database, run_ids);
    const maskers = new Map<string, Masker>();
    for (const run_id of run_ids)
      maskers.set(run_id, this.#parts.maskers.masker(await this.#valuesOf(scope, sets.get(run_id) ?? [])));
    return maskers;
  }

  async #setsOf(run_id: string): Promise<readonly string[]> {
    return (await setsOfRuns(this.#parts.database, [run_id])).get(run_id) ?? [];
  }

  async #keep(run: MaskedRun, values: readonly string[]): Promise<void> {
    const { database, sealer, ids } = this.#parts;
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64');
    const known = `${run.project_id} ${digest}`;
    const set_id = this.#known.get(known);
    if (set_id !== undefined && this.#linked.get(`${run.run_id} ${set_id}`)) return;
    await sealer.prepare(run.org_id);
    const id = set_id ?? ids.next('msk');
    await database.transaction(async (tx) => {
      if (set_id === undefined) await insertSet(tx, sealer, run, { set_id: id, values, now: database.now() });
      await linkRun(tx, run.run_id, id);
    });
    failpoint('masking.remembered');
    this.#known.set(known, id);
    this.#values.set(id, values);
    this.#linked.set(`${run.run_id} ${id}`, true);
  }

  async #valuesOf(scope: Scope, set_ids: readonly string[]): Promise<readonly string[]> {
    const all = new Set<string>();
    for (const set_id of set_ids) for (const value of await this.#read(scope, set_id)) all.add(value);
    return [...all];
  }

  async #read(scope: Scope, set_id: string): Promise<readonly string[]> {
    const kept = this.#values.get(set_id);
    if (kept) return kept;
    const { database, sealer } = this.#parts;
    await sealer.prepare(scope.org_id);
    const values = await readSet(database, sealer, scope, set_id);
    this.#values.set(set_id, values);
    return values;
  }
}

/** The entries last used, so many of them. */
class Recent<T> {
  readonly #most: number;
  readonly #entries = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
