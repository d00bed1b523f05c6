import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lacking } from '../test/kit/needs.ts';

const LAUNCHER = join(import.meta.dirname, 'svc');

/** A home with the folders below it, all of them private, whatever the place of this clone and its umask allow. */
function homeWith(...folders: string[]): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  t.teardown(() => rmSync(home, { recursive: true }));
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  return home;
}

/** Runs the CLI with its cache below the folder; answers the folder of the cache. */
function runIn(home: string): string {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: join(home, 'tmp') };
  mkdirSync(env.TMPDIR, { recursive: true });
  const { status, stderr } = spawnSync(LAUNCHER, ['help', 'submit'], { env, encoding: 'utf8' });
  t.equal(status, 0, stderr);
  t.same(readdirSync(env.TMPDIR), [], 'nothing lies in the shared temporary folder');
  return join(home, '.cache/svc/compiled');
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

t.test('compiled code lies in a folder of the user alone', async (t) => {
  const folder = runIn(homeWith());
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.notOk(isEmpty(folder));
});

t.test('a folder that others may write to is not used, and its parents neither', async (t) => {
  for (const open of ['.cache/svc/compiled', '.cache/svc', '.cache']) {
    const home = homeWith('.cache/svc/compiled');
    chmodSync(join(home, open), 0o777);
    t.ok(isEmpty(runIn(home)), open);
  }
});

t.test('a folder that others may read is closed, and used', async (t) => {
  const home = homeWith('.cache/svc/compiled');
  chmodSync(join(home, '.cache/svc/compiled'), 0o755);
  const folder = runIn(home);
  t.notOk(isEmpty(folder));
  t.equal(statSync(folder).mode & 0o777, 0o700);
});

const root = lacking('root', process.getuid?.() !== 0 && 'only root can give files away');

t.test('a folder of another user is not used, by a link neither', root, async (t) => {
  const home = homeWith('.cache/svc/compiled');
  chownSync(join(home, '.cache/svc/compiled'), 65_534, 65_534);
  t.ok(isEmpty(runIn(home)));
  const linked = homeWith('.cache/svc', 'theirs');
  chownSync(join(linked, 'theirs'), 65_534, 65_534);
  symlinkSync(join(linked, 'theirs'), join(linked, '.cache/svc/compiled'));
  t.ok(isEmpty(runIn(linked)));
});

t.test('nothing is created in the home of another user', root, async (t) => {
  const home = homeWith();
  chownSync(home, 65_534, 65_534);
  runIn(home);
  t.notOk(existsSync(join(home, '.cache')));
});

t.test('without a home that can be written the command runs', async (t) => {
  const env = { PATH: process.env.PATH, HOME: '/dev/null', TMPDIR: homeWith() };
  t.equal(spawnSync(LAUNCHER, ['help', 'submit'], { env }).status, 0);
});
