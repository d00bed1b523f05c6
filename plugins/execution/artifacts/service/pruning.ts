import { type Database, type Ids, isServiceError } from '../../../../kernel/contracts/index.ts';
import { lowestId, type Prunable } from '../../../platform/retention/contract.ts';
import type { CopiedPrefix, KeptResults, RerunPart, RunGuard, RunTable } from '../../../engine/runs/contract.ts';
import type { Artifacts } from '../contract.ts';
import { type RunScope, listRunsWithFiles } from '../store/file-rows.ts';
import { removeFilesOfRuns } from '../store/publish.ts';
import { deleteUsage } from '../store/usage.ts';

interface Pruning {
  database: Database;
  ids: Pick<Ids, 'next'>;
  guard: RunGuard;
}

/** Prunes the artifacts of a run with its rows; their parts are scheduled for removal. */
export const artifactRows = ({ database, ids }: Omit<Pruning, 'guard'>): RunTable => ({
  table: 'artifacts_files',
  column: 'run_id',
  remove: (tx, run_ids, limit) => removeFilesOfRuns(tx, run_ids, limit, ids, database.now()),
});

/** Prunes the usage counts of a run after its artifacts. */
export const artifactUsage: RunTable = {
  table: 'artifacts_run_usage',
  column: 'run_id',
  remove: (tx, run_ids) => deleteUsage(tx, run_ids),
};

/** Implements `artifacts=30d` of SVC_RETENTION: prunes artifacts of runs that ended before, while the runs stay. */
export const prunableArtifacts = (deps: Pruning): Prunable => ({
  name: 'artifacts',
  summary: 'artifacts of runs that have ended; the runs stay',
  async *prune(before, limit) {
    for (let after = ''; ; ) {
      const runs = await listRunsWithFiles(deps.database, after, lowestId('run', before));
      const last = runs.at(-1);
      if (last === undefined) return;
      after = last.run_id;
      const ended = new Set(
        await deps.guard.endedBefore(
          runs.map(({ run_id }) => run_id),
          before,
        ),
      );
      for (const run of runs) if (ended.has(run.run_id)) yield* pruneRun(deps, run, limit);
    }
  },
});

async function* pruneRun(
  { database, guard, ids }: Pruning,
  run: RunScope,
  limit: number,
): AsyncGenerator<number, void> {
  for (let removed = limit; removed >= limit; ) {
    removed = await database
      .transaction(async (tx) => {
        // The lock keeps others from replacing what is removed here.
        await guard.holdRun(tx, run);
        return removeFilesOfRuns(tx, [run.run_id], limit, ids, database.now());
      })
      .catch((error: unknown) => {
        // The run was pruned entirely in the meantime.
        if (isServiceError(error, 'not_found')) return 0;
        throw error;
      });
    if (removed > 0) yield removed;
  }
}

/**
 * Copies to a rerun what the calls before its site, or the nodes that it keeps, had put, as far as the first run
 * still has it.
 */
export const copiedArtifacts = (artifacts: () => Pick<Artifacts, 'copy'>): RerunPart => ({
  name: 'artifacts',
  async copy(tx, { org_id, project_id, from, to, records }: CopiedPrefix) {
    const toScope = ({ run_id }: { run_id: string }) => ({ org_id, project_id, run_id });
    await artifacts().copy(tx, toScope(from), toScope(to), async (makers) =>
      makers.map(({ activity_id, position }) => {
        const is_kept = activity_id === from.activity_id && position !== null && position < records.length;
        return is_kept ? { activity_id: to.activity_id } : undefined;
      }),
    );
  },
  async keep(tx, { org_id, project_id, from, to, redone }: KeptResults) {
    const toScope = ({ run_id }: { run_id: string }) => ({ org_id, project_id, run_id });
    await artifacts().copy(tx, toScope(from), toScope(to), async (makers) => {
      const redone_ids = await redone(
        tx,
        makers.map(({ activity_id }) => activity_id),
      );
      // The activities stay with the first run. In a rerun of the rerun nobody owns them, so they are kept.
      return makers.map(({ activity_id }) => (redone_ids.has(activity_id) ? undefined : { activity_id }));
    });
  },
});
