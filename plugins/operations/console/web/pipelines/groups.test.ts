import t from 'tap';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { groupPipelines } from './groups.ts';

const run = (run_id: string, workflow: string, kind = 'pipeline') => ({ run_id, workflow, kind }) as RunRecord;

t.test('the runs of each pipeline, newest first, the one that ran last first', async (t) => {
  const runs = [run('5', 'ci'), run('4', 'orders', 'graph'), run('3', 'release'), run('2', 'ci')];
  t.same(
    groupPipelines(runs).map(({ name, runs: found }) => [name, ...found.map(({ run_id }) => run_id)]),
    [
      ['ci', '5', '2'],
      ['release', '3'],
    ],
  );
});
