import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { Activity, systemClock as clock } from '../../../../test/kit/index.ts';
import { openBench } from '../executor/testing/host.ts';
import { Isolation } from './isolation.ts';
import { lacking } from '../../../../test/kit/needs.ts';

t.setTimeout(600_000);

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };
const missing = await new Isolation({ env: process.env, ids, node: process.execPath }).findProblem();
const isolated = lacking('isolation', missing);

/** Spawns programs with imports of a file that the agent may read, by a link and by its place. */
const scriptOf = (secret: string) => `
  ln -s ${secret} folder
  up=$(pwd | sed 's,/[^/]*,../,g')
  echo "import { value } from './folder/value.json'; console.log(value);" > linked.ts
  echo "import { value } from './\${up}${secret.slice(1)}/value.json'; console.log(value);" > away.ts
  svc spawn linked.ts
  svc spawn away.ts
`;

t.test('what an isolated script spawns is not made one file by its agent', isolated, async (t) => {
  const secret = await mkdtemp(join(tmpdir(), 'svc-secret-'));
  const bench = await openBench({ clock, ids, native: true });
  t.teardown(() => Promise.all([rm(secret, { recursive: true }), bench.close()]));
  await chmod(secret, 0o755);
  await writeFile(join(secret, 'value.json'), '{"value": "canary"}');
  const source = scriptOf(secret);
  for (const trusted of [false, true]) {
    const activity = new Activity();
    const spawned: string[] = [];
    activity.denies = (call) => void spawned.push(JSON.stringify(call));
    const end = await bench.finish(activity, { source, filename: 'job.sh', trusted });
    t.notMatch(JSON.stringify(end), /canary/);
    t.equal(spawned.filter((call) => call.includes('canary')).length, 0);
    // One that is not isolated is told that the file is outside its folder.
    if (trusted) t.match(end, { completion: { status: 'failed', message: /is outside/ } });
    else t.match([end, spawned.length], [{ completion: { status: 'succeeded' } }, 2], JSON.stringify(end));
  }
});

t.test('a key of its agent is in nothing that a script spawns', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-secret-'));
  const key = join(folder, 'key.json');
  const env = { ...process.env, SVC_TOKEN_FILE: key };
  const bench = await openBench({ clock, ids, native: true, env });
  t.teardown(() => Promise.all([rm(folder, { recursive: true }), bench.close()]));
  await writeFile(key, '{"value": "canary"}');
  await writeFile(join(folder, 'job.mjs'), "import key from './key.json';\nconsole.log(key);\n");
  await writeFile(join(folder, 'own.mjs'), 'console.log(1);\n');
  const activity = new Activity();
  const spawned: string[] = [];
  activity.denies = (call) => void spawned.push(JSON.stringify(call));
  const source = `cd ${folder}; svc spawn own.mjs; svc spawn job.mjs`;
  const end = await bench.finish(activity, { source, filename: 'job.sh' });
  t.match(end, { completion: { status: 'failed', message: /is a file of svc \(SVC_TOKEN_FILE\)/ } });
  t.equal(spawned.length, 1, 'only the one without it');
  t.notMatch(JSON.stringify([end, spawned]), /canary/);
});
