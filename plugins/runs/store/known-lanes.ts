import type { Database, Transaction } from '../../../kernel/contracts/index.ts';
import { ISOLATES, type NewActivity } from '../contract.ts';
import { normalRequires } from '../domain/capabilities.ts';
import { laneOf } from './keys.ts';

const MAX_KNOWN = 10_000;

/** For so long a process trusts that a lane is there. Far shorter than `IDLE_MS`, so that it commits before the lane may go. */
const KNOWN_MS = 10 * 60_000;

/** The use of a lane is written again when what is written is older. */
const FRESH_MS = 5 * 60_000;

/**
 * Makes the lanes of activities. A lane holds work of trusted runs or of untrusted ones, never of both. One that nobody uses
 * is removed in time (`removeIdleLanes`), so a process looks again for those that it knows, but seldom.
 */
export class KnownLanes {
  /** When each was last seen in the table. */
  readonly #known = new Map<string, number>();
  readonly #light: () => Iterable<string>;
  readonly #now: () => number;
  #lights: ReadonlySet<string> | undefined;

  /** `light`: executors whose untrusted work needs no isolation. `now`: milliseconds by the database's clock. */
  constructor(light: () => Iterable<string>, now: () => number) {
    this.#light = light;
    this.#now = now;
  }

  /** True for work that starts no program. */
  isLight(executor: string): boolean {
    this.#lights ??= new Set(this.#light());
    return this.#lights.has(executor);
  }

  /** All that an agent must offer for it. */
  requiresOf({ executor, requires }: Pick<NewActivity, 'executor' | 'requires'>, trusted: boolean): string[] {
    const own = requires.filter((capability) => capability !== ISOLATES);
    return normalRequires(trusted || this.isLight(executor) ? own : [...own, ISOLATES]);
  }

  async laneFor(
    on: Database | Transaction,
    org_id: string,
    activity: Pick<NewActivity, 'executor' | 'requires'>,
    trusted: boolean,
  ): Promise<string> {
    const normal = this.requiresOf(activity, trusted);
    const { executor } = activity;
    // Requirements tell the lanes of other executors apart.
    const lane = laneOf(org_id, executor, normal, trusted || !this.isLight(executor) ? undefined : 'untrusted');
    const now = this.#now();
    if (this.#isKnown(lane, now)) return lane;
    // In this order: a lane whose use is written again is not removed, and one that was removed before is made again.
    const refreshed = [now, lane, now - FRESH_MS];
    const used = await on.write('UPDATE runs_lanes SET used_at = ? WHERE lane = ? AND used_at < ?', refreshed);
    if (used === 0)
      await on.write(
        `${on.sql.insert_ignore} runs_lanes (lane, org_id, requires, executor, untrusted, used_at) VALUES (?, ?, ?, ?, ?, ?)`,
        [lane, org_id, JSON.stringify(normal), executor, trusted ? 0 : 1, now],
      );
    // A lane of a transaction is known after its commit.
    if ('afterCommit' in on) on.afterCommit(() => this.#know(lane, now));
    else this.#know(lane, now);
    return lane;
  }

  /** A clock that was set back says nothing about the time since. */
  #isKnown(lane: string, now: number): boolean {
    const seen = this.#known.get(lane);
    return seen !== undefined && seen <= now && now - seen < KNOWN_MS;
  }

  #know(lane: string, now: number): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(lane, now);
  }
}
