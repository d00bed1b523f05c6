import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lacking, leaveOut } from '../../../../test/kit/needs.ts';
import { removeFolder } from './remove-folder.ts';
import { reclaimFolder } from './reclaim-folder.ts';

/** Of nobody in the passwd of any machine, as in containers that are started with a number. */
const NUMBER = 54_321;

const MODULE = new URL('./runtime-dir.ts', import.meta.url).href;

/** What a process does that has such a user, no HOME and a folder of its own. Undefined: it cannot read this folder. */
function runAs(folder: string, source: string): { status: number | null; output: string } | undefined {
  const other = { uid: NUMBER, gid: NUMBER, env: { PATH: process.env.PATH, TMPDIR: folder }, cwd: folder };
  const run = (text: string) => spawnSync(process.execPath, ['--input-type=module', '-e', text], other);
  if (run(`await import('node:fs').then((fs) => fs.accessSync(new URL(${JSON.stringify(MODULE)})))`).status !== 0)
    return undefined;
  const { status, stdout, stderr } = run(source);
  return { status, output: `${stdout}${stderr}` };
}

const root_only = lacking('root', process.getuid?.() !== 0 && 'only root can become another user');

t.test('a user without a line in passwd sweeps what its dead processes left', root_only, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-number-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  chownSync(folder, NUMBER, NUMBER);
  const ended = spawnSync('true').pid;
  const [own, others] = [join(folder, 'svc-agent-own000'), join(folder, 'svc-agent-root00')];
  for (const dead of [own, others]) {
    mkdirSync(dead);
    writeFileSync(join(dead, 'owner'), `${ended} 12345`);
  }
  chownSync(own, NUMBER, NUMBER);
  const ran = runAs(
    folder,
    `const { sweepRuntimeDirs } = await import(${JSON.stringify(MODULE)});
    const warn = (fields, message) => console.log(message, fields);
    await sweepRuntimeDirs(${JSON.stringify(folder)}, { now: Date.now }, { warn });`,
  );
  if (ran === undefined) return leaveOut(t, 'other users');
  t.same(ran, { status: 0, output: '' });
  t.notOk(existsSync(own), 'its own is gone');
  t.ok(existsSync(others), 'that of another user is not');
});

const DEEP = 'cd "$0" && for n in $(seq 60); do mkdir "$1" && cd "$1" || exit; done; chmod 0 "$0"';

t.test('what the programs of a user did not empty belongs to root before root removes it', root_only, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-given-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711);
  const given = join(folder, 'work');
  mkdirSync(given, { mode: 0o700 });
  chownSync(given, NUMBER, NUMBER);
  // Folders nested deeper than any path can be, in one that their owner has locked against itself: the processes that
  // empty it find it closed, but whoever had opened the inner ones before can still change them.
  const name = 'd'.repeat(100);
  const made = spawnSync('bash', ['-c', DEEP, given, name], { uid: NUMBER, gid: NUMBER });
  t.equal(made.status, 0);
  await reclaimFolder(folder);
  const left = readdirSync(given).map((found) => lstatSync(join(given, found)));
  t.ok(left.length > 0);
  t.same(
    left.filter(({ uid, mode }) => uid !== 0 || (mode & 0o077) !== 0),
    [],
    'the user can replace no folder there by a link while root removes them',
  );
  await removeFolder(folder);
  t.notOk(existsSync(folder));
});
