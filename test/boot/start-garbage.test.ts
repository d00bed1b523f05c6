import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { plainEnvironment, svcProgram } from '../bench/place.ts';

/** Tells, from inside the process, which flags V8 is given and what is asked of the collector. */
const WATCH = `
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import vm from 'node:vm';
const tell = (text) => process.stderr.write(text + '\\n');
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  tell('sets ' + flag);
  setFlagsFromString(flag);
};
const { runInNewContext } = vm;
vm.runInNewContext = (code, ...rest) => {
  const found = runInNewContext(code, ...rest);
  if (code !== 'gc') return found;
  return (options) => {
    tell('collects ' + JSON.stringify(options));
    return found(options);
  };
};
syncBuiltinESMExports();
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
  t.same(service.log.match(/^(sets|collects) .*/gm), [
    'sets --heap-growing-percent=50',
    'sets --expose-gc',
    'collects {"type":"major","execution":"sync","flavor":"last-resort"}',
  ]);
});
