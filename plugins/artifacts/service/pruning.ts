import { type Database, type Ids, isServiceError } from '../../../kernel/contracts/index.ts';
import { lowestId, type Prunable } from '../../retention/contract.ts';
import type { CopiedPrefix, KeptResults, RerunPart, RunGuard, RunTable } from '../../runs/contract.ts';
import type { Artifacts } from '../contract.ts';
import { type RunPlace, runsWithFiles } from '../store/file-rows.ts';
import { removeOfRuns } from '../store/publish.ts';
import { forgetUsage } from '../store/usage.ts';

interface Pruning {
  database: Database;
  ids: Pick<Ids, 'next'>;
  guard: RunGuard;
}

/** Artifacts of a run that is pruned: their rows go with it, and what they name is noted for removal. */
export const artifactRows = ({ database, ids }: Omit<Pruning, 'guard'>): RunTable => ({
  table: 'artifacts_files',
  column: 'run_id',
  remove: (tx, run_ids, limit) => removeOfRuns(tx, run_ids, limit, ids, database.now()),
});

/** What is counted of them goes after them. */
export const artifactUsage: RunTable = {
  table: 'artifacts_run_usage',
  column: 'run_id',
  remove: (tx, run_ids) => forgetUsage(tx, run_ids),
};

/** `artifacts=30d` of SVC_RETENTION: artifacts of runs that ended before, while the runs stay. */
export const prunableArtifacts = (use: Pruning): Prunable => ({
  name: 'artifacts',
  summary: 'artifacts of runs that have ended; the runs stay',
  async *prune(before, limit) {
    for (let after = ''; ; ) {
      const runs = await runsWithFiles(use.database, after, lowestId('run', before));
      const last = runs.at(-1);
      if (last === undefined) return;
      after = last.run_id;
      const ended = new Set(
        await use.guard.endedBefore(
          runs.map(({ run_id }) => run_id),
          before,
        ),
      );
      for (const run of runs) if (ended.has(run.run_id)) yield* ofRun(use, run, limit);
    }
  },
});

async function* ofRun({ database, guard, ids }: Pruning, run: RunPlace, limit: number): AsyncGenerator<number, void> {
  for (let removed = limit; removed >= limit; ) {
    removed = await database
      .transaction(async (tx) => {
        // Nobody replaces what is removed here.
        await guard.holdRun(tx, run);
        return removeOfRuns(tx, [run.run_id], limit, ids, database.now());
      })
      .catch((error: unknown) => {
        // It was pruned as a whole meanwhile.
        if (isServiceError(error, 'not_found')) return 0;
        throw error;
      });
    if (removed > 0) yield removed;
  }
}

/** A rerun has what the calls before its site, or the nodes that it keeps, had put, as far as the first run has it. */
export const copiedArtifacts = (artifacts: () => Pick<Artifacts, 'copy'>): RerunPart => ({
  name: 'artifacts',
  async copy(tx, { org_id, project_id, from, to, records }: CopiedPrefix) {
    const runOf = ({ run_id }: { run_id: string }) => ({ org_id, project_id, run_id });
    await artifacts().copy(tx, runOf(from), runOf(to), async (makers) =>
      makers.map(({ activity_id, position }) => {
        const kept = activity_id === from.activity_id && position !== null && position < records.length;
        return kept ? { activity_id: to.activity_id } : undefined;
      }),
    );
  },
  async keep(tx, { org_id, project_id, from, to, redone }: KeptResults) {
    const runOf = ({ run_id }: { run_id: string }) => ({ org_id, project_id, run_id });
    await artifacts().copy(tx, runOf(from), runOf(to), async (makers) => {
      const again = await redone(
        tx,
        makers.map(({ activity_id }) => activity_id),
      );
      // The activities stay with the first run: in a rerun of the rerun they are nobody's, and so they are kept.
      return makers.map(({ activity_id }) => (again.has(activity_id) ? undefined : { activity_id }));
    });
  },
});
