import { tmpdir } from 'node:os';
import { runToEnd } from '../../../features/support/process.ts';
import { atMost, type Figure } from '../figure.ts';
import { nodeStartMs } from '../floors.ts';
import { plainEnvironment, svcProgram } from '../place.ts';
import { median, timed } from '../statistics.ts';

async function version(): Promise<void> {
  const cwd = tmpdir();
  const { exit, stdout } = await runToEnd(svcProgram, ['--version'], { env: plainEnvironment(cwd), cwd });
  if (exit !== 0 || !/\d+\.\d+\.\d+/.test(stdout)) throw new Error(`svc --version: ${exit} ${stdout}`);
}

export const versionOfSvc: Figure = {
  name: 'version',
  summary: '`svc --version` from start to end',
  async measure(bench) {
    const count = bench.size(30, 6);
    await version();
    const ours: number[] = [];
    const floors: number[] = [];
    // In turns, so that a busy machine is busy for both.
    for (let index = 0; index < count; index += 1) {
      ours.push(await timed(version));
      floors.push(await nodeStartMs(1));
    }
    const floor = { value: median(floors), is: 'node -e 0' };
    return [{ figure: 'svc --version', unit: 'ms', ours: median(ours), floor, goal: atMost(2.5), done: count }];
  },
};
