import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { plainEnvironment, svcProgram } from '../bench/place.ts';

/** Tells, from inside the process, what is asked of the collector. */
const WATCH = `
const { gc } = globalThis;
if (gc) globalThis.gc = (options) => {
  process.stderr.write('collects ' + JSON.stringify(options) + '\\n');
  return gc(options);
};
`;

t.setTimeout(120_000);

t.test('a server gives back what its start took, once, when it has nothing to do', async (t) => {
  const folder = await homeFolder('svc-start-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const watch = join(folder, 'watch.mjs');
  await writeFile(watch, WATCH);
  const env = { ...plainEnvironment(folder), SVC_PORT: '0', NODE_OPTIONS: `--import=${watch}` };
  const service = new Service(svcProgram, ['dev'], { env, cwd: folder });
  t.teardown(() => service.kill('SIGKILL'));
  await service.says(/ready/);
  const ready = performance.now();
  await service.says(/collects /, 90_000);
  t.ok(performance.now() - ready > 8_000, 'not while it may be busy, nor for one that is soon over');
  await service.kill('SIGTERM');
  t.same(service.log.match(/collects .*/g), ['collects {"type":"major","flavor":"last-resort"}']);
});
