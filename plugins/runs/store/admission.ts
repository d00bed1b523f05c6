import {
  BoundedMap,
  type Clock,
  isServiceError,
  type Queries,
  type ServiceError,
} from '../../../kernel/contracts/index.ts';
import { runLimit } from '../errors.ts';
import { countOpenRuns } from './open-runs.ts';

/** Projects that are remembered. */
const MAX_PROJECTS = 10_000;
/** Runs of a project that this server makes without a look at how many are open, where the limit is far away. */
const MAX_BLIND = 256;
/** The rest to the limit is divided by this: so many servers may make runs between two looks without going beyond it. */
const SHARES = 8;
/** A project without room is looked at no more often. */
const FULL_MS = 250;
const RETRY_MS = 1000;

interface Known {
  /** Open runs at the last look, and those that this server made and ended since. */
  open: number;
  /** Made by this server since the last look. */
  made: number;
  /** How many it may make until the next one. */
  blind: number;
  looked_at: number;
}

/**
 * Keeps the open runs of a project below a limit. Each server counts what it makes and ends itself, and counts the project's
 * runs anew after a part of the room that is left: a submit costs nothing more in general, and no row is written by all of
 * them. Where several servers make runs at once, the limit may be exceeded by what they make in the same moment.
 */
export class RunAdmission {
  readonly #max: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new BoundedMap<string, Known>(MAX_PROJECTS);

  constructor(max: number, clock: Pick<Clock, 'monotonic'>) {
    this.#max = max;
    this.#clock = clock;
  }

  /** How many of `wanted` runs may be made in a project. In a transaction `on` is that transaction. */
  async room(on: Pick<Queries, 'read'>, project_id: string, wanted: number): Promise<number> {
    const now = this.#clock.monotonic();
    const known = this.#known.get(project_id) ?? this.#remember(project_id, 0, now - FULL_MS);
    const full = known.open + wanted > this.#max;
    if (full ? now - known.looked_at >= FULL_MS : known.made + wanted > known.blind) {
      const open = await countOpenRuns(on, project_id, this.#max + 1);
      return Math.max(0, this.#max - this.#remember(project_id, open, now).open);
    }
    return Math.max(0, this.#max - known.open);
  }

  /** Throws `run_limit` when a project has no room for so many. */
  async require(on: Pick<Queries, 'read'>, project_id: string, wanted = 1): Promise<void> {
    if ((await this.room(on, project_id, wanted)) < wanted) throw this.refusal();
  }

  refusal(): ServiceError {
    return runLimit(`the project has ${this.#max} runs that are not over, as many as it may (SVC_MAX_OPEN_RUNS)`, {
      retryAfterMs: RETRY_MS,
    });
  }

  made(project_id: string, count: number): void {
    const known = this.#known.get(project_id);
    if (!known) return;
    known.open += count;
    known.made += count;
  }

  /** After the commit. */
  ended(project_id: string, count: number): void {
    const known = this.#known.get(project_id);
    if (known) known.open = Math.max(0, known.open - count);
  }

  #remember(project_id: string, open: number, looked_at: number): Known {
    const blind = Math.min(MAX_BLIND, Math.floor((this.#max - open) / SHARES));
    const known = { open, made: 0, blind, looked_at };
    this.#known.set(project_id, known);
    return known;
  }
}

/** True for a refusal that a caller within a run is told as the outcome of its call. */
export const isRunLimit = (error: unknown): error is ServiceError => isServiceError(error, runLimit.code);
