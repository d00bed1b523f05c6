import { BoundedMap, type Clock, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';

/** Projects that are remembered. */
const MAX_PROJECTS = 10_000;
/** How long other servers go on with what a project said before. */
const KEPT_MS = 3000;

/** What a project says of its runs. */
export interface ProjectSettings {
  /** How long a run may take that says nothing itself; undefined: for ever. */
  timeout_ms: number | undefined;
}

/** Settings of projects, as submits read them: a busy project costs no query per run. */
export class RunSettings {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new BoundedMap<string, ProjectSettings & { read_at: number }>(MAX_PROJECTS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** At most some seconds old, unless this server has changed them. */
  async lately(on: Pick<Queries, 'read'>, project_id: string): Promise<ProjectSettings> {
    const now = this.#clock.monotonic();
    const known = this.#known.get(project_id);
    if (known !== undefined && now - known.read_at < KEPT_MS) return known;
    const read = await this.read(on, project_id);
    this.#known.set(project_id, { ...read, read_at: now });
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
        ...[project_id, org_id],
        timeout_ms,
      ]);
    tx.afterCommit(() => this.#known.delete(project_id));
  }
}
