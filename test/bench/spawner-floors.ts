import { availableParallelism } from 'node:os';
import { openSpawner } from '../../plugins/execution/scripts/native/spawner.ts';
import type { Bench } from './bench-run.ts';
import { inFolder, sqliteInsertMs } from './floors.ts';
import { median, timed, times, together } from './statistics.ts';

const { PATH = '' } = process.env;

/** What the machine needs for a script that does nothing, started as the agent starts them. */
export interface SpawnerFloors {
  /** ms from the start of `bash -c true` by the native spawner to its end. */
  start_ms: number;
  /** `bash -eu` started and reaped a second, on all cores. */
  starts: number;
  /** ms of one durable insert on SQLite. */
  commit_ms: number;
}

export function spawnerFloors(bench: Bench): Promise<SpawnerFloors> {
  return inFolder(async (runtime_dir) => {
    const spawner = await openSpawner({ runtime_dir });
    const bash = (...args: string[]) =>
      spawner.spawn({ argv: ['/bin/bash', ...args], env: { PATH }, cwd: runtime_dir }).ended;
    try {
      await bash('-c', 'true');
      const start_ms = median(await times(bench.size(300, 30), () => bash('-c', 'true')));
      const count = bench.size(2000, 200);
      const ms = await timed(() => together(count, availableParallelism() * 2, () => bash('-euc', 'true')));
      return { start_ms, starts: (count / ms) * 1000, commit_ms: await sqliteInsertMs(bench.size(2000, 300)) };
    } finally {
      await spawner.close();
    }
  });
}

/** The floor of everything that starts one script: a start, and a commit for each of submit, claim or step, and end. */
export const scriptFloor = ({ start_ms, commit_ms }: SpawnerFloors) => ({
  value: start_ms + 3 * commit_ms,
  is: '`bash -c true` by the spawner + 3 durable inserts',
});
