import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readProfile, readProfileFile, writeProfile } from './profile.ts';
import { namedProfilePath, userProfilePath } from './profile-path.ts';
import { lacking } from '../../test/kit/needs.ts';

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

t.test('a token goes only to the server that it was given for', async (t) => {
  const home = t.testdir({});
  const path = userProfilePath({ HOME: home });
  await writeProfile(path, one);
  const read = (env: Record<string, string>) => readProfile({ HOME: home, ...env }, home);
  const refused = { exit: 4, code: 'not_authenticated' };
  t.match(await read({ SVC_PROJECT: 'docs', SVC_ORG: '' }), { project: 'docs', org: 'acme', token_origin: path });
  t.match(await read({ SVC_URL: `${one.url}/` }), { token: one.token, origin: 'SVC_URL', token_origin: path });
  await t.rejects(read({ SVC_URL: 'http://127.0.0.1:2' }), {
    ...refused,
    message: /is for http:\/\/127\.0\.0\.1:1, and is not/,
  });
  await t.rejects(read({ SVC_URL: 'http://127.0.0.1:1.example.org' }), { exit: 2, message: /is not an address/ });
  const password = await read({ SVC_URL: 'http://ann:hunter2@127.0.0.1:1' }).catch((thrown: unknown) => thrown);
  t.match(password, { exit: 2, message: '127.0.0.1:1' });
  t.notMatch((password as Error).message, /hunter2/);
  await t.rejects(read({ SVC_TOKEN: 'svc_pat_env' }), { ...refused, message: /not sent to the server in/ });
  const both = { SVC_URL: 'http://h', SVC_TOKEN: 'svc_pat_env' };
  t.match(await read(both), { url: 'http://h', token: 'svc_pat_env', org: '', project: '', token_origin: 'SVC_TOKEN' });
  t.match(await read({ ...both, SVC_URL: one.url }), { token: 'svc_pat_env', org: 'acme', project: 'web' });
});

t.test('the token of a socket goes to no other one, whatever its place looks like', async (t) => {
  const home = t.testdir({});
  await writeProfile(userProfilePath({ HOME: home }), { ...one, url: 'unix:/run/svc.sock' });
  const read = (SVC_URL: string) => readProfile({ HOME: home, SVC_URL }, home);
  t.match(await read('unix:/run/svc.sock'), { token: one.token });
  // Where `link` leads to another folder, this is another socket.
  await t.rejects(read('unix:/run/link/../svc.sock'), { exit: 4, code: 'not_authenticated' });
});

t.test('a profile that others can read or write is refused, with the command that closes it', async (t) => {
  const home = t.testdir({});
  const path = userProfilePath({ HOME: home });
  await writeProfile(path, one);
  for (const mode of [0o640, 0o604, 0o620, 0o602]) {
    await chmod(path, mode);
    const refused = { exit: 2, code: 'profile_open', next: new RegExp(`chmod 600 ${path}`) };
    await t.rejects(readProfile({ HOME: home }, home), refused, mode.toString(8));
  }
});

const root = lacking('root', process.getuid?.() !== 0 && 'only root can give files away');

t.test('a pipe in place of a profile holds up nobody', async (t) => {
  const home = t.testdir({ work: { '.svc': {} } });
  const path = join(home, 'work/.svc/profile.json');
  execFileSync('mkfifo', ['-m', '600', path]);
  await t.rejects(readProfile({ HOME: home }, join(home, 'work')), { code: 'profile_invalid', message: /not a file/ });
  if (process.getuid?.() !== 0) return;
  await writeProfile(userProfilePath({ HOME: home }), one);
  await chown(path, 65_534, 65_534);
  t.match(await readProfile({ HOME: home }, join(home, 'work')), { token: one.token }, 'nor does that of another user');
});

t.test('a profile of another user does not count', root, async (t) => {
  const home = t.testdir({ work: { '.svc': {}, deep: {} } });
  const env = { HOME: home };
  const planted = join(home, 'work/.svc/profile.json');
  await writeProfile(planted, two);
  await chown(planted, 65_534, 65_534);
  await t.rejects(readProfile(env, join(home, 'work/deep')), {
    code: 'not_authenticated',
    message: /belongs to another/,
  });
  await writeProfile(userProfilePath(env), one);
  t.match(await readProfile(env, join(home, 'work/deep')), { token: one.token });
});

t.test('without a server or a token it says how to get one', async (t) => {
  const home = t.testdir({});
  const refused = { exit: 4, code: 'not_authenticated', next: /svc login/ };
  await t.rejects(readProfile({ HOME: home }, home), refused);
  const other = { ...refused, next: /set SVC_TOKEN/ };
  await t.rejects(readProfile({ HOME: home, SVC_URL: 'http://h' }, home), other);
});

t.test('a broken file is named, with what to do about it', async (t) => {
  const home = t.testdir({ '.svc': { 'profile.json': '{"url": ' } });
  await chmod(join(home, '.svc/profile.json'), 0o600);
  await t.rejects(readProfile({ HOME: home }, home), { exit: 2, code: 'profile_invalid', message: /profile\.json/ });
  for (const text of ['null', '[]', '"text"', '{"url": 7}']) {
    await writeFile(join(home, '.svc/profile.json'), text);
    await t.rejects(readProfile({ HOME: home }, home), { code: 'profile_invalid' }, text);
  }
});

t.test('in a job of an agent no profile counts', async (t) => {
  const home = t.testdir({});
  await writeProfile(userProfilePath({ HOME: home }), one);
  for (const job of [{ SVC_AGENT_SOCKET: '/x/s' }, { SVC_IDEMPOTENCY_KEY: 'k' }]) {
    const read = (env: Record<string, string>) => readProfile({ HOME: home, ...job, ...env }, home);
    await t.rejects(read({}), { exit: 4, code: 'not_authenticated', message: /a job cannot use a profile/ });
    await t.rejects(read({ SVC_URL: one.url }), /a job cannot use a profile/);
    const own = { SVC_URL: one.url, SVC_TOKEN: 'svc_pat_of_the_job' };
    t.match(
      await read(own),
      { token: 'svc_pat_of_the_job', org: '', project: '' },
      'nothing is taken from the profile',
    );
  }
});

t.test('profiles with names: the flag counts alone, the variable beside the others', async (t) => {
  const home = t.testdir({ work: { '.svc': {} } });
  const here = join(home, 'work');
  const far = { url: 'https://far.example.org', token: 'svc_pat_far', org: 'acme', project: 'web' };
  await writeProfile(namedProfilePath({ HOME: home }, 'far'), far);
  await writeProfile(join(here, '.svc/profile.json'), two);
  const read = (env: Record<string, string>, choice = {}) => readProfile({ HOME: home, ...env }, here, choice);
  const elsewhere = { SVC_URL: 'http://127.0.0.1:2', SVC_TOKEN: 'svc_pat_env', SVC_ORG: 'o', SVC_PROJECT: 'p' };
  t.match(await read(elsewhere, { profile: 'far' }), far, 'nothing of the environment is mixed in');
  t.match(await read({}, { profile: 'far', project: 'docs' }), { ...far, project: 'docs' });
  t.match(await read({ SVC_PROFILE: 'far' }), far);
  t.match(await read({ SVC_PROFILE: 'far', SVC_PROJECT: 'docs' }), { ...far, project: 'docs' });
  t.match(await read({ SVC_PROJECT: 'x' }, { org: 'b', project: 'y' }), { token: two.token, org: 'b', project: 'y' });
  t.match(await read({ SVC_PROFILE: 'far', ...elsewhere }), { token: 'svc_pat_env', url: elsewhere.SVC_URL });
  t.match(await read(elsewhere, { org: 'mine' }), { token: 'svc_pat_env', org: 'mine', project: 'p' });
  await t.rejects(read({ SVC_PROFILE: 'far', SVC_URL: 'http://127.0.0.1:2' }), { exit: 4, message: /is for https:/ });
  await t.rejects(read({ SVC_PROFILE: 'far', SVC_TOKEN: 'svc_pat_env' }), {
    exit: 4,
    message: /not sent to the server/,
  });
});

t.test('a profile that is not there, or no name, is said with those that are', async (t) => {
  const home = t.testdir({});
  const read = (profile: string) => readProfile({ HOME: home }, home, { profile });
  await t.rejects(read('prod'), { exit: 4, message: 'there is no profile prod; there are no named profiles' });
  for (const name of ['test', 'far']) await writeProfile(namedProfilePath({ HOME: home }, name), one);
  await t.rejects(read('prod'), { exit: 4, message: 'there is no profile prod; the profiles are far, test' });
  for (const name of ['', '../profile', 'a/b', '.x']) await t.rejects(read(name), { exit: 2, code: 'usage' }, name);
  await chmod(namedProfilePath({ HOME: home }, 'far'), 0o640);
  await t.rejects(read('far'), { exit: 2, code: 'profile_open' });
});

t.test('a job has no profile by name either', async (t) => {
  const home = t.testdir({});
  await writeProfile(namedProfilePath({ HOME: home }, 'far'), one);
  const job = { HOME: home, SVC_AGENT_SOCKET: '/x/s' };
  await t.rejects(readProfile({ ...job, SVC_PROFILE: 'far' }, home), /a job cannot use a profile/);
  await t.rejects(readProfile(job, home, { profile: 'far' }), /a job cannot use a profile/);
  const own = { SVC_URL: one.url, SVC_TOKEN: 'svc_pat_of_the_job' };
  await t.rejects(readProfile({ ...job, ...own }, home, { profile: 'far' }), /a job cannot use a profile/);
});
