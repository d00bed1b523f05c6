import { BoundedMap, type Database, type Sealer } from '../../../kernel/contracts/index.ts';
import { leaseLost } from '../errors.ts';

/** The run and org of an activity. They never change. */
export interface ActivityOwner {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
}

/** The same, and what does not change either: whether its run is trusted, and whether a coordinator decides what follows. */
export interface KnownActivity extends ActivityOwner {
  coordinated: boolean;
  trusted: boolean;
}

/** More than are worked on at a time. All of them lie in memory: with many more, a server would grow for hours. */
const MAX_PLACES = 2_000;

/** Nobody can hold a claim of it. */
export const absentActivity = (activity_id: string) => leaseLost(`there is no activity ${activity_id.slice(0, 64)}`);

/**
 * Finds the run and org of an activity outside of transactions and prepares the org's keys, so that sealing in a
 * transaction never waits for another connection. Keeps a bounded cache.
 */
export class ActivityOwners {
  readonly #known = new BoundedMap<string, KnownActivity>(MAX_PLACES);
  readonly #database: Pick<Database, 'read'>;
  readonly #sealer: Sealer;

  constructor(database: Pick<Database, 'read'>, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  remember(place: KnownActivity): void {
    this.#known.set(place.activity_id, place);
  }

  /** True for an activity that this server made, or had a claim of, lately. */
  knows(activity_id: string): boolean {
    return this.#known.get(activity_id) !== undefined;
  }

  /** Throws `lease_lost` for an activity that does not exist: nobody can hold it. */
  async of(activity_id: string): Promise<KnownActivity> {
    const place = this.#known.get(activity_id) ?? (await this.#find(activity_id));
    await this.#sealer.prepare(place.org_id);
    return place;
  }

  async #find(activity_id: string): Promise<KnownActivity> {
    const [row] = await this.#database.read<ActivityOwner & { coordinator: string | null; trusted: number | null }>(
      `SELECT a.activity_id, a.run_id, a.org_id, a.project_id, r.coordinator, r.trusted FROM runs_activities a
       LEFT JOIN runs_runs r ON r.run_id = a.run_id WHERE a.activity_id = ?`,
      [activity_id],
    );
    if (!row) throw absentActivity(activity_id);
    const { coordinator, trusted, ...place } = row;
    const owner = { ...place, coordinated: coordinator !== null, trusted: trusted === 1 };
    this.remember(owner);
    return owner;
  }
}
