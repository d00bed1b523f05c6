import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../../features/support/process.ts';
import { atMostValue, type Figure } from '../figure.ts';
import { nodeStartMs } from '../floors.ts';
import { plainEnvironment, svcProgram } from '../place.ts';
import { median } from '../statistics.ts';

/** From the start to the line that says so, on a folder that is new: key, schema, org, project and token are made. */
async function readyMs(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const since = performance.now();
  const service = new Service(svcProgram, ['dev', '--port', '0'], { env: plainEnvironment(folder), cwd: folder });
  try {
    await service.says(/svc dev is ready/);
    return performance.now() - since;
  } finally {
    await service.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

export const devReady: Figure = {
  name: 'dev-ready',
  summary: '`svc dev` on a new folder until it is ready',
  async measure(bench) {
    const count = bench.size(7, 2);
    await readyMs();
    const spans: number[] = [];
    for (let index = 0; index < count; index += 1) spans.push(await readyMs());
    const floor = { value: await nodeStartMs(bench.size(20, 5)), is: 'node -e 0' };
    return [{ figure: 'svc dev ready', unit: 'ms', ours: median(spans), floor, goal: atMostValue(1500), done: count }];
  },
};
