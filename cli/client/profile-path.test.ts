import { spawnSync } from 'node:child_process';
import t from 'tap';
import { lacking, leaveOut } from '../../test/kit/needs.ts';

/** Of nobody in the passwd of any machine, as in containers that are started with a number. */
const NUMBER = 54_321;

t.test(
  'a user without a home has no profile, which is no fault',
  lacking('root', process.getuid?.() !== 0 && 'only root can become another user'),
  async (t) => {
    const path = JSON.stringify(new URL('./profile-path.ts', import.meta.url).href);
    const run = (source: string) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', source], {
        ...{ uid: NUMBER, gid: NUMBER, cwd: '/', env: { PATH: process.env.PATH } },
      });
    if (run(`(await import('node:fs')).accessSync(new URL(${path}))`).status !== 0) return leaveOut(t, 'other users');
    const { stdout, stderr } = run(`console.log((await import(${path})).userProfilePath({}))`);
    t.equal(`${stdout}${stderr}`, '/nonexistent/.config/svc/profile.json\n');
  },
);
