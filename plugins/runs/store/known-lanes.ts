import type { Database, Transaction } from '../../../kernel/contracts/index.ts';
import { ISOLATES, type NewActivity } from '../contract.ts';
import { normalRequires } from '../domain/capabilities.ts';
import { laneOf } from './keys.ts';

const MAX_KNOWN = 10_000;

/**
 * Makes the lanes of activities. A lane holds work of trusted runs or of untrusted ones, never of both. Lanes are never
 * removed, so a process need not look again for those that it knows.
 */
export class KnownLanes {
  readonly #known = new Set<string>();
  readonly #light: () => Iterable<string>;
  #lights: ReadonlySet<string> | undefined;

  /** `light`: executors whose untrusted work needs no isolation. */
  constructor(light: () => Iterable<string>) {
    this.#light = light;
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
    if (this.#known.has(lane)) return lane;
    await on.write(
      `${on.sql.insert_ignore} runs_lanes (lane, org_id, requires, executor, untrusted) VALUES (?, ?, ?, ?, ?)`,
      [lane, org_id, JSON.stringify(normal), executor, trusted ? 0 : 1],
    );
    // A lane of a transaction is known after its commit.
    if ('afterCommit' in on) on.afterCommit(() => this.#know(lane));
    else this.#know(lane);
    return lane;
  }

  #know(lane: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(lane);
  }
}
