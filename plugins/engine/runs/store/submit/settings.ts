import { BoundedMap, type Clock, type Queries, type Transaction } from '../../../../../kernel/contracts/index.ts';

/** How many projects are cached. */
const MAX_CACHED_PROJECTS = 10_000;
/** How long other servers continue with earlier settings. */
const CACHE_MS = 3000;

/** The settings of a project for its runs. */
export interface ProjectSettings {
  /** The timeout of runs that set none. Undefined: they have no timeout. */
  timeout_ms: number | undefined;
}

/** Caches settings of projects for submits, so that a busy project costs no query for each run. */
export class RunSettings {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #cache = new BoundedMap<string, ProjectSettings & { read_at: number }>(MAX_CACHED_PROJECTS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** At most some seconds old, unless this server has changed them. */
  async readCached(on: Pick<Queries, 'read'>, project_id: string): Promise<ProjectSettings> {
    const now = this.#clock.monotonic();
    const known = this.#cache.get(project_id);
    if (known !== undefined && now - known.read_at < CACHE_MS) return known;
    const read = await this.read(on, project_id);
    this.#cache.set(project_id, { ...read, read_at: now });
    return read;
  }

  async read(on: Pick<Queries, 'read'>, project_id: string): Promise<ProjectSettings> {
    const [row] = await on.read<{ timeout_ms: number | null }>(
      'SELECT timeout_ms FROM runs_settings WHERE project_id = ?',
      [project_id],
    );
    return { timeout_ms: row?.timeout_ms ?? undefined };
  }

  async write(
    tx: Transaction,
    { org_id, project_id }: { org_id: string; project_id: string },
    { timeout_ms = null }: { timeout_ms?: number | null | undefined },
  ): Promise<void> {
    await tx.write('DELETE FROM runs_settings WHERE project_id = ?', [project_id]);
    if (timeout_ms !== null)
      await tx.write('INSERT INTO runs_settings (project_id, org_id, timeout_ms) VALUES (?, ?, ?)', [
        project_id,
        org_id,
        timeout_ms,
      ]);
    tx.afterCommit(() => this.#cache.delete(project_id));
  }
}
