import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readProfile, readProfileFile, userProfilePath, writeProfile } from './profile.ts';

const one = { url: 'http://127.0.0.1:1', token: 'svc_pat_one', org: 'acme', project: 'web' };
const two = { ...one, token: 'svc_pat_two', project: 'docs' };

t.test('a profile is written whole, for its owner only, and leaves no draft', async (t) => {
  const path = join(t.testdir(), 'deep', 'svc', 'profile.json');
  await writeProfile(path, one);
  await writeProfile(path, two);
  t.match(await readProfileFile(path), { ...two, origin: path, token_origin: path });
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.same(await readdir(join(path, '..')), ['profile.json']);
});

t.test('the nearest folder wins, then the one of the user', async (t) => {
  const home = t.testdir({ work: { deep: { er: {} } } });
  const env = { HOME: home };
  await writeProfile(userProfilePath(env), one);
  t.match(await readProfile(env, join(home, 'work/deep/er')), { token: one.token });
  await mkdir(join(home, 'work/.svc'));
  await writeProfile(join(home, 'work/.svc/profile.json'), two);
  t.match(await readProfile(env, join(home, 'work/deep/er')), { token: two.token, project: 'docs' });
  t.equal(userProfilePath({ XDG_CONFIG_HOME: '/conf', HOME: home }), '/conf/svc/profile.json');
});

t.test('each variable of the environment wins by itself, and is named as the source', async (t) => {
  const home = t.testdir({});
  await writeProfile(userProfilePath({ HOME: home }), one);
  const path = userProfilePath({ HOME: home });
  const read = (env: Record<string, string>) => readProfile({ HOME: home, ...env }, home);
  t.match(await read({ SVC_TOKEN: 'svc_pat_env' }), {
    token: 'svc_pat_env',
    url: one.url,
    origin: path,
    token_origin: 'SVC_TOKEN',
  });
  t.match(await read({ SVC_URL: 'http://h' }), { url: 'http://h', origin: 'SVC_URL', token_origin: path });
  t.match(await read({ SVC_PROJECT: 'docs', SVC_ORG: '' }), { project: 'docs', org: 'acme' });
});

t.test('without a server or a token it says how to get one', async (t) => {
  const home = t.testdir({});
  const refused = { exit: 4, code: 'not_authenticated', next: /svc login/ };
  await t.rejects(readProfile({ HOME: home }, home), refused);
  await t.rejects(readProfile({ HOME: home, SVC_URL: 'http://h' }, home), refused);
});

t.test('a broken file is named, with what to do about it', async (t) => {
  const home = t.testdir({ '.svc': { 'profile.json': '{"url": ' } });
  await t.rejects(readProfile({ HOME: home }, home), { exit: 2, code: 'profile_invalid', message: /profile\.json/ });
  for (const text of ['null', '[]', '"text"', '{"url": 7}']) {
    await writeFile(join(home, '.svc/profile.json'), text);
    await t.rejects(readProfile({ HOME: home }, home), { code: 'profile_invalid' }, text);
  }
});
