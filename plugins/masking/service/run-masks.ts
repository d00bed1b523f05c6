import { createHash } from 'node:crypto';
import {
  BoundedMap,
  type Database,
  failpoint,
  type Ids,
  type Queries,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { SharedReads } from '../../database/contract.ts';
import { type MaskedRun, type Masker, type Maskers, type RunMasks, MIN_MASKED_LENGTH } from '../contract.ts';
import { insertSet, linkRun, linkRuns, readSet, setsOfRuns } from '../store/mask-sets.ts';

/** Number of cached value sets, and of runs whose sets are known. */
const MAX_SETS = 512;
/** Characters of the cached values: a project may have 256 KiB of them. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_RUNS = 10_000;

export interface RunMasksParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  maskers: Maskers;
}

type Scope = Omit<MaskedRun, 'run_id'>;

/**
 * Runs of a project share the stored sets: a run costs one short row, a change of the project's secrets (or a server
 * start) one long row. The sets of a run are read again for every view, because another server may have added one. The
 * values of a set never change, so they are cached.
 */
export class SealedRunMasks implements RunMasks {
  readonly #parts: RunMasksParts;
  /** Sets by project and digest of their values. The digest is never stored: it would help to guess values. */
  readonly #known = new BoundedMap<string, string>(MAX_SETS);
  readonly #values = new BoundedMap<string, readonly string[]>(MAX_SETS, {
    max_weight: MAX_CHARACTERS,
    weigh: (values) => values.reduce((sum, value) => sum + value.length, 0),
  });
  readonly #sets: SharedReads<readonly string[]>;
  readonly #linked = new BoundedMap<string, true>(MAX_RUNS);

  constructor(parts: RunMasksParts) {
    this.#parts = parts;
    this.#sets = new SharedReads((run_ids) => setsOfRuns(parts.database, run_ids));
  }

  async remember(run: MaskedRun, given: readonly string[]): Promise<readonly string[]> {
    const values = [...new Set(given)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_LENGTH).sort();
    // Refused here and not on the agent: a value that cannot be masked is not given out.
    this.#parts.maskers.masker(values);
    if (values.length > 0) await this.#keep(run, values);
    const all = await this.#valuesOf(run, await this.#setsOf(run.run_id));
    this.#parts.maskers.masker(all);
    return all;
  }

  async inherit(tx: Transaction, from: string, run_ids: readonly string[]): Promise<void> {
    const sets = await this.#setsOf(from, tx);
    if (sets.length === 0 || run_ids.length === 0) return;
    const known = await setsOfRuns(tx, run_ids);
    const missing = run_ids.flatMap((run_id) =>
      sets.filter((set_id) => !known.get(run_id)?.includes(set_id)).map((set_id) => ({ run_id, set_id })),
    );
    await linkRuns(tx, missing);
  }

  async of(run: MaskedRun, within?: Queries): Promise<Masker> {
    return this.#parts.maskers.masker(await this.#valuesOf(run, await this.#setsOf(run.run_id, within), within));
  }

  async ofMany(scope: Scope, run_ids: readonly string[]): Promise<ReadonlyMap<string, Masker>> {
    const sets = await setsOfRuns(this.#parts.database, run_ids);
    const maskers = new Map<string, Masker>();
    for (const run_id of run_ids)
      maskers.set(run_id, this.#parts.maskers.masker(await this.#valuesOf(scope, sets.get(run_id) ?? [])));
    return maskers;
  }

  async #setsOf(run_id: string, within?: Queries): Promise<readonly string[]> {
    const sets = within ? (await setsOfRuns(within, [run_id])).get(run_id) : await this.#sets.of(run_id);
    return sets ?? [];
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

  async #valuesOf(scope: Scope, set_ids: readonly string[], on?: Queries): Promise<readonly string[]> {
    const all = new Set<string>();
    for (const set_id of set_ids) for (const value of await this.#read(scope, set_id, on)) all.add(value);
    return [...all];
  }

  async #read(scope: Scope, set_id: string, on: Queries = this.#parts.database): Promise<readonly string[]> {
    const kept = this.#values.get(set_id);
    if (kept) return kept;
    const { sealer } = this.#parts;
    await sealer.prepare(scope.org_id);
    const values = await readSet(on, sealer, scope, set_id);
    this.#values.set(set_id, values);
    return values;
  }
}
