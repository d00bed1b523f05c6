import type { Database } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { lowestId } from '../../../platform/retention/contract.ts';
import type { RunGuard, SharedContent } from '../../../engine/runs/contract.ts';
import { emittersOfAny } from '../store/emitters.ts';

/** As many as the guard of runs is asked for. */
const AT_ONCE = 100;

export interface UnneededMasksDeps {
  database: Pick<Database, 'read'>;
  masks: Pick<RunMasks, 'between' | 'forget'>;
  guard: Pick<RunGuard, 'removed'>;
}

/** Which runs were given secret values: needed while the run is there, or an event that it has emitted or that tells of it. */
export const unneededMasks = ({ database, masks, guard }: UnneededMasksDeps): SharedContent => ({
  name: 'masks',
  async *remove(before) {
    // Ids begin with their times. A younger run may be made just now.
    const until = lowestId('run', before);
    for (let after = ''; ; ) {
      const page = await masks.between(after, until, AT_ONCE);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.run_id;
      const gone = new Set(await guard.removed(page.map(({ run_id }) => run_id)));
      const silent: string[] = [];
      for (const [project_id, own] of Map.groupBy(
        page.filter(({ run_id }) => gone.has(run_id)),
        (run) => run.project_id,
      )) {
        const run_ids = own.map(({ run_id }) => run_id);
        const heard = await emittersOfAny(database, project_id, run_ids);
        silent.push(...run_ids.filter((run_id) => !heard.has(run_id)));
      }
      yield await masks.forget(silent);
    }
  },
});
