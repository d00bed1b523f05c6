import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lacking, leaveOut } from '../../../test/kit/needs.ts';

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
