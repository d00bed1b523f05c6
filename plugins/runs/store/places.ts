import type { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { leaseLost } from '../errors.ts';

/** Where an activity belongs. Never changes. */
export interface ActivityPlace {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
}

const REMEMBERED = 20_000;

/**
 * Finds the run and org of an activity outside of transactions, and has the org's keys ready, so that sealing
 * inside a transaction never waits for another connection. Remembers what it saw last, bounded.
 */
export class ActivityPlaces {
  readonly #known = new Map<string, ActivityPlace>();
  readonly #database: Pick<Database, 'read'>;
  readonly #sealer: Sealer;

  constructor(database: Pick<Database, 'read'>, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  remember(place: ActivityPlace): void {
    this.#known.delete(place.activity_id);
    this.#known.set(place.activity_id, place);
    if (this.#known.size <= REMEMBERED) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      break;
    }
  }

  /** Throws `lease_lost` for an activity that does not exist: nobody can hold it. */
  async of(activity_id: string): Promise<ActivityPlace> {
    const place = this.#known.get(activity_id) ?? (await this.#find(activity_id));
    await this.#sealer.prepare(place.org_id);
    return place;
  }

  async #find(activity_id: string): Promise<ActivityPlace> {
    const [row] = await this.#database.read<ActivityPlace>(
      'SELECT activity_id, run_id, org_id, project_id FROM runs_activities WHERE activity_id = ?',
      [activity_id],
    );
    if (!row) throw leaseLost(`there is no activity ${activity_id}`);
    this.remember(row);
    return row;
  }
}
