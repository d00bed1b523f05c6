import { BoundedMap, type Clock, type Queries, type ServiceError } from '../../../../../kernel/contracts/index.ts';
import { runLimit } from '../../errors.ts';
import { countOpenRuns } from '../rows/runs.ts';

/** How many projects are cached. */
const MAX_PROJECTS = 10_000;
/** How many runs a server creates in a project without counting, where the limit is far away. */
const MAX_UNCOUNTED = 256;
/** How many servers may create runs between two counts without exceeding the limit: each takes its share of the rest. */
const SHARES = 8;
/** A project at its limit is counted no more often. */
const RECOUNT_FULL_MS = 250;
const RETRY_MS = 1000;

interface OpenRunCount {
  /** Open runs at the last count, and those that this server has created and ended since. */
  open: number;
  /** Created by this server since the last count. */
  created: number;
  /** How many it may create until the next count. */
  uncounted: number;
  counted_at: number;
}

/**
 * Limits the open runs of a project. Each server counts what it creates and ends itself, and counts the project's runs in the
 * database after a part of the remaining capacity: so most submits cost nothing, and no row is written by all of them. Where
 * several servers create runs at once, the limit may be exceeded by what they create in the same moment.
 */
export class RunAdmission {
  readonly #max: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counts = new BoundedMap<string, OpenRunCount>(MAX_PROJECTS);

  constructor(max: number, clock: Pick<Clock, 'monotonic'>) {
    this.#max = max;
    this.#clock = clock;
  }

  /** How many more runs may be created in a project. In a transaction, `on` is that transaction. */
  async capacity(on: Pick<Queries, 'read'>, project_id: string, wanted: number): Promise<number> {
    const now = this.#clock.monotonic();
    const known = this.#counts.get(project_id) ?? this.#remember(project_id, 0, now - RECOUNT_FULL_MS);
    const full = known.open + wanted > this.#max;
    if (full ? now - known.counted_at >= RECOUNT_FULL_MS : known.created + wanted > known.uncounted) {
      const open = await countOpenRuns(on, project_id, this.#max + 1);
      return Math.max(0, this.#max - this.#remember(project_id, open, now).open);
    }
    return Math.max(0, this.#max - known.open);
  }

  /** Throws `run_limit` when a project has no capacity for so many. */
  async assertCapacity(on: Pick<Queries, 'read'>, project_id: string, wanted = 1): Promise<void> {
    if ((await this.capacity(on, project_id, wanted)) < wanted) throw this.rejection();
  }

  rejection(): ServiceError {
    return runLimit(`the project has ${this.#max} open runs, which is the limit (SVC_MAX_OPEN_RUNS)`, {
      retryAfterMs: RETRY_MS,
    });
  }

  addCreated(project_id: string, count: number): void {
    const known = this.#counts.get(project_id);
    if (!known) return;
    known.open += count;
    known.created += count;
  }

  /** Called after the commit. */
  subtractEnded(project_id: string, count: number): void {
    const known = this.#counts.get(project_id);
    if (known) known.open = Math.max(0, known.open - count);
  }

  #remember(project_id: string, open: number, counted_at: number): OpenRunCount {
    const uncounted = Math.min(MAX_UNCOUNTED, Math.floor((this.#max - open) / SHARES));
    const known = { open, created: 0, uncounted, counted_at };
    this.#counts.set(project_id, known);
    return known;
  }
}
