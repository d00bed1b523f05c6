import type { Database, Sealer, WorkLoop } from '../../../../kernel/contracts/index.ts';
import { timeOfId } from '../../../platform/retention/contract.ts';
import { ANY_RUN, type RunReader } from '../../../engine/runs/contract.ts';
import type { EventLog, ProjectScope } from '../../../events/bus/contract.ts';
import type { IndexState, RunFinder, RunTerms } from '../../run-views/contract.ts';
import type { RunIndexing } from '../contract.ts';
import { parseTerms } from '../domain/query.ts';
import { readCursors } from '../store/cursors.ts';
import { havingAll, readRunsWith } from '../store/terms.ts';
import { digestOf, ENDS, type RunIndex } from './run-index.ts';

/** Runs of one search. */
const WINDOW = 128;

interface RunSearchDeps {
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  log: Pick<EventLog, 'latest'>;
  reader: Pick<RunReader, 'list'>;
  index: RunIndex;
  loop: WorkLoop;
}

/** Searches in the index of a project, and runs the background work for it. */
export class RunSearches implements RunFinder, RunIndexing {
  readonly name = 'run-search';
  readonly #deps: RunSearchDeps;
  #stop: (() => Promise<void>) | undefined;

  constructor(deps: RunSearchDeps) {
    this.#deps = deps;
  }

  /** Starts the background work. */
  start(): () => Promise<void> {
    const stop = this.#deps.loop.start();
    this.#stop = stop;
    return stop;
  }

  async settle(): Promise<void> {
    await this.#stop?.();
    for (let more = true; more; ) more = (await this.#deps.index.iterate()).hasMore ?? false;
  }

  check(terms: RunTerms, at: string): void {
    parseTerms(terms, at);
  }

  async find(scope: ProjectScope, terms: RunTerms, before: string | undefined) {
    const { database, sealer } = this.#deps;
    const required = parseTerms(terms);
    const { org_id, project_id } = scope;
    const cursor = (await readCursors(database, [project_id])).get(project_id);
    if (cursor === undefined) return { run_ids: [], next: undefined };
    await sealer.prepare(org_id);
    const [lead = '', ...others] = [
      ...new Set(required.map((term) => digestOf(sealer, { org_id, project_id }, term, cursor.key_version).hex)),
    ];
    const candidates = await readRunsWith(database, project_id, lead, before, WINDOW);
    const matching = await havingAll(database, project_id, others, candidates);
    return {
      run_ids: candidates.filter((run_id) => matching.has(run_id)),
      next: candidates.length === WINDOW ? candidates.at(-1) : undefined,
    };
  }

  async state(scope: ProjectScope): Promise<IndexState> {
    const { database, log } = this.#deps;
    const cursor = (await readCursors(database, [scope.project_id])).get(scope.project_id);
    if (cursor === undefined) return { complete: await this.#isEmpty(scope) };
    const last = [];
    for (const type of ENDS) last.push(...(await log.latest(scope, type, 1)));
    const behind = last.some(({ seq }) => seq > cursor.seq);
    const { older, indexed_until } = cursor;
    return {
      complete: !behind && older === null,
      ...(behind && { indexed_until }),
      ...(older !== null && older !== 'run_~' && { indexed_from: timeOfId(older) }),
    };
  }

  async #isEmpty({ project_id }: ProjectScope): Promise<boolean> {
    const { run_ids } = await this.#deps.reader.list(project_id, { ...ANY_RUN, limit: 1, before: undefined });
    return run_ids.length === 0;
  }
}
