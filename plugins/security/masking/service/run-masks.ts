import { createHash } from 'node:crypto';
import {
  BoundedMap,
  type CachedReads,
  type Database,
  failpoint,
  mayHaveRows,
  type Ids,
  type Queries,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { SharedReads } from '../../../platform/database/contract.ts';
import { type MaskedRun, type Masker, type Maskers, type RunMasks, MIN_MASKED_BYTES } from '../contract.ts';
import {
  insertSet,
  linkRuns,
  linksOfRun,
  maskedBetween,
  readSet,
  removeExpired,
  setsOfRuns,
  unlinkRuns,
} from '../store/mask-sets.ts';

/** The maximum number of cached value sets, and below that of runs whose sets are cached. */
const MAX_SETS = 512;
/** The maximum characters of the cached values. A project may have 256 KiB of them. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_RUNS = 10_000;

export interface RunMasksOptions {
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
  readonly #options: RunMasksOptions;
  /** The sets by project and digest of their values. The digest is never stored, because it would help to guess values. */
  readonly #set_ids = new BoundedMap<string, string>(MAX_SETS);
  readonly #values = new BoundedMap<string, readonly string[]>(MAX_SETS, {
    max_weight: MAX_CHARACTERS,
    weigh: (values) => values.reduce((sum, value) => sum + value.length, 0),
  });
  readonly #sets: SharedReads<readonly string[]>;
  readonly #linked = new BoundedMap<string, true>(MAX_RUNS);

  constructor(options: RunMasksOptions) {
    this.#options = options;
    this.#sets = new SharedReads((run_ids) => setsOfRuns(options.database, run_ids, options.database.now()));
  }

  async remember(run: MaskedRun, candidates: readonly string[]): Promise<readonly string[]> {
    const values = maskable(candidates);
    // This throws here and not on the agent, so that a value that cannot be masked is never handed out.
    await this.#options.maskers.prepare(values, run.org_id);
    if (values.length > 0) await this.#storeMasks(run, values);
    const all = await this.#valuesOf(run, await this.#setsOf(run.run_id));
    await this.#options.maskers.prepare(all, run.org_id);
    return all;
  }

  async rememberUntil(run: MaskedRun, candidates: readonly string[], expires_at: number): Promise<void> {
    const values = maskable(candidates);
    const { database, sealer, ids, maskers } = this.#options;
    await maskers.prepare(values, run.org_id);
    await sealer.prepare(run.org_id);
    const set_id = ids.next('msk');
    await database.transaction(async (tx) => {
      const now = database.now();
      await removeExpired(tx, [run.run_id], now);
      await insertSet(tx, sealer, run, { set_id, values, now });
      await linkRuns(tx, [{ run_id: run.run_id, set_id, expires_at }]);
    });
    this.#values.set(set_id, values);
  }

  async inherit(tx: Transaction, from: string, run_ids: readonly string[]): Promise<void> {
    if (run_ids.length === 0 || !(await mayHaveRows(tx, 'masking_runs'))) return;
    const now = this.#options.database.now();
    const links = await linksOfRun(tx, from, now);
    if (links.length === 0) return;
    // A run that inherits again and again must not keep what has expired.
    if (links.some(({ expires_at }) => expires_at !== null)) await removeExpired(tx, run_ids, now);
    const linked_sets = await setsOfRuns(tx, run_ids, now);
    const missing = run_ids.flatMap((run_id) =>
      links.filter(({ set_id }) => !linked_sets.get(run_id)?.includes(set_id)).map((link) => ({ ...link, run_id })),
    );
    await linkRuns(tx, missing);
  }

  async of(run: MaskedRun, within?: CachedReads): Promise<Masker> {
    const values = await this.#valuesOf(run, await this.#setsOf(run.run_id, within), within);
    return this.#options.maskers.prepare(values, within ? undefined : run.org_id);
  }

  async maskEach<Item extends { run_id: string }, Masked>(
    scope: Scope,
    items: readonly Item[],
    mask: (item: Item, masker: Masker) => Masked,
  ): Promise<Masked[]> {
    if (items.length === 0) return [];
    const { database } = this.#options;
    const run_ids = [...new Set(items.map(({ run_id }) => run_id))];
    const sets = await setsOfRuns(database, run_ids, database.now());
    const setsOf = (item: Item) => sets.get(item.run_id) ?? [];
    const masked = new Map<Item, Masked>();
    for (const same of Map.groupBy(items, (item) => setsOf(item).join(' ')).values()) {
      const masker = await this.#options.maskers.prepare(await this.#valuesOf(scope, setsOf(same[0]!)), scope.org_id);
      for (const item of same) masked.set(item, mask(item, masker));
    }
    return items.map((item) => masked.get(item)!);
  }

  between(after: string, until: string, limit: number): Promise<Pick<MaskedRun, 'run_id' | 'project_id'>[]> {
    return maskedBetween(this.#options.database, after, until, limit);
  }

  async forget(run_ids: readonly string[]): Promise<number> {
    const { database } = this.#options;
    await database.transaction((tx) => removeExpired(tx, run_ids, database.now()));
    return unlinkRuns(database, run_ids);
  }

  async #setsOf(run_id: string, within?: CachedReads): Promise<readonly string[]> {
    // No run has any while no project has secrets.
    if (!(await mayHaveRows(within ?? this.#options.database, 'masking_runs'))) return [];
    const now = this.#options.database.now();
    const sets = within ? (await setsOfRuns(within, [run_id], now)).get(run_id) : await this.#sets.get(run_id);
    return sets ?? [];
  }

  async #storeMasks(run: MaskedRun, values: readonly string[]): Promise<void> {
    const { database, sealer, ids } = this.#options;
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64');
    const cache_key = `${run.project_id} ${digest}`;
    const set_id = this.#set_ids.get(cache_key);
    if (set_id !== undefined && this.#linked.get(`${run.run_id} ${set_id}`)) return;
    await sealer.prepare(run.org_id);
    const id = set_id ?? ids.next('msk');
    await database.transaction(async (tx) => {
      if (set_id === undefined) await insertSet(tx, sealer, run, { set_id: id, values, now: database.now() });
      await linkRuns(tx, [{ run_id: run.run_id, set_id: id, expires_at: null }]);
    });
    failpoint('masking.remembered');
    this.#set_ids.set(cache_key, id);
    this.#values.set(id, values);
    this.#linked.set(`${run.run_id} ${id}`, true);
  }

  async #valuesOf(scope: Scope, set_ids: readonly string[], on?: Pick<Queries, 'read'>): Promise<readonly string[]> {
    const all = new Set<string>();
    for (const set_id of set_ids) for (const value of await this.#read(scope, set_id, on)) all.add(value);
    return [...all];
  }

  async #read(
    scope: Scope,
    set_id: string,
    on: Pick<Queries, 'read'> = this.#options.database,
  ): Promise<readonly string[]> {
    const cached = this.#values.get(set_id);
    if (cached) return cached;
    const { sealer } = this.#options;
    await sealer.prepare(scope.org_id);
    const values = await readSet(on, sealer, scope, set_id);
    this.#values.set(set_id, values);
    return values;
  }
}

const maskable = (candidates: readonly string[]): string[] =>
  [...new Set(candidates)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_BYTES).sort();
