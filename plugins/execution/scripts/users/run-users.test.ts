import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readRunAs } from '../../agents/contract.ts';
import { RunUsers } from './run-users.ts';
import { UserDiskView } from './user-disk-view.ts';
import { lacking, needsOtherUsers } from '../../../../test/kit/needs.ts';

const ids = { bytes: (count: number) => randomBytes(count) };
const root_only = lacking('root', process.getuid?.() !== 0 && 'only root can give folders away');

t.test('the setting names a user or a range, and nothing else', async (t) => {
  t.same(readRunAs(undefined), undefined);
  t.same(readRunAs(''), undefined);
  t.same(readRunAs('builder'), { user: 'builder' });
  t.same(readRunAs('1001'), { user: '1001' });
  t.same(readRunAs('20000-20999'), { first: 20_000, last: 20_999 });
  for (const [text, why] of Object.entries({
    root: /a user other than root/,
    '0': /a user other than root/,
    '0-9': /must ascend, from 1/,
    '30-20': /must ascend/,
    '1-4294967295': /must ascend|at most/,
    '20000-320000': /at most 100000 users/,
    '61000-62000': /reserved for isolated runs/,
    'a b': /use a username, or a range/,
    '20000-': /use a username, or a range/,
  }))
    t.match(readRunAs(text), { fault: why }, text);
});

function place(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-users-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  return folder;
}

const usersOf = (
  state: string,
  run_as: string,
  more: { passwd?: string; group?: string; subid?: string; workdir?: string } = {},
) =>
  RunUsers.of({
    env: { SVC_AGENT_RUN_AS: run_as, SVC_AGENT_STATE: state, ...(more.workdir && { SVC_AGENT_WORKDIR: more.workdir }) },
    ...{ ids, node: process.execPath, passwd: more.passwd ?? 'root:x:0:0::/root:/bin/sh' },
    ...{ group: more.group ?? 'root:x:0:', subid: more.subid ?? '' },
  })!;

t.test(
  'each project has a user of its own, for ever and for all agents of the machine',
  needsOtherUsers(),
  async (t) => {
    const state = join(place(t), 'state');
    const [one, other] = [usersOf(state, '20000-20019'), usersOf(state, '20000-20019')];
    await one.check();
    await other.check();
    const projects = Array.from({ length: 20 }, (_, nth) => `prj_${nth}`);
    // At the same time, and from both ends.
    const [a, b] = await Promise.all([
      Promise.all(projects.map(async (project) => [project, (await one.of(project)).uid] as const)),
      Promise.all(projects.toReversed().map(async (project) => [project, (await other.of(project)).uid] as const)),
    ]);
    t.same(Object.fromEntries(a), Object.fromEntries(b));
    t.equal(new Set(a.map(([, uid]) => uid)).size, 20, 'no two have the same');
    const again = usersOf(state, '20000-20019');
    t.equal((await again.of('prj_7')).uid, Object.fromEntries(a).prj_7);
    await t.rejects(again.of('prj_20'), /all 20 users .* belong to other projects; widen the range/);
    const { home, uid, gid } = await one.of('prj_3');
    const found = statSync(home);
    t.same([found.uid, found.gid, found.mode & 0o777], [uid, gid, 0o700]);
    t.equal(readdirSync(join(state, 'users')).length, 20, 'no draft is left');
  },
);

t.test('what a machine cannot do is said at the start', root_only, async (t) => {
  const folder = place(t);
  const refused = async (users: RunUsers, message: RegExp) =>
    t.rejects(users.check(), { code: 'run_as_unusable', message });
  await refused(usersOf(join(folder, 'a'), 'nobody-here'), /no such user/);
  const passwd = 'ana:x:20005:20005::/home/ana:/bin/sh';
  await refused(usersOf(join(folder, 'a'), '20000-20009', { passwd }), /the user ana \(20005\) on this machine/);
  // The programs of a project have its number as their group, too.
  const group = 'docker:x:20007:ana';
  await refused(usersOf(join(folder, 'a'), '20000-20009', { group }), /the group docker \(20007\) on this machine/);
  await refused(usersOf(join(folder, 'a'), '20008-20009', { subid: 'ana:20000:9' }), /IDs of ana \(20000 to 20008\)/);
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  await refused(usersOf(open, '20000-20009'), /only root can write to/);
  await refused(usersOf(join(folder, 'a'), '20000-20009', { workdir: open }), /SVC_AGENT_WORKDIR.*only root/);
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  await refused(usersOf(join(closed, 'state'), '20000-20009'), /the user 20000 cannot enter/);
  await refused(usersOf(folder, 'ana', { passwd, workdir: closed }), /the user 20005 cannot enter/);
});

t.test('a room has what its user may read', root_only, async (t) => {
  const folder = place(t);
  const user = { uid: 20_001, gid: 20_001 };
  const room = new UserDiskView(user);
  const put = (name: string, uid: number, mode: number, gid = uid) => {
    const path = join(folder, name);
    if (name.endsWith('/')) mkdirSync(path);
    else writeFileSync(path, name);
    chownSync(path, uid, gid);
    chmodSync(path, mode);
    return path;
  };
  const read = async (path: string) => {
    const file = await room.open(path, 0).catch((error: NodeJS.ErrnoException) => error.code!);
    if (typeof file === 'string') return file;
    const text = await file.readFile('utf8').finally(() => file.close());
    return text;
  };
  t.equal(await read(put('own', 20_001, 0o600)), 'own');
  t.equal(await read(put('all', 0, 0o644)), 'all');
  t.equal(await read(put('group', 0, 0o640, 20_001)), 'group');
  t.equal(await read(put('root', 0, 0o600)), 'EACCES');
  t.equal(await read(put('closed to its owner', 20_001, 0o044)), 'EACCES');
  put('others/', 20_002, 0o700);
  t.equal(await read(put('others/all', 20_002, 0o644)), 'EACCES', 'in a folder that it cannot enter');
  symlinkSync(join(folder, 'own'), join(folder, 'link'));
  t.equal(await read(join(folder, 'link')), 'ELOOP');
  symlinkSync(folder, join(folder, 'folder'));
  t.match(await read(join(folder, 'folder/own')), /ELOOP|ENOTDIR/);
  t.equal(await read(`/proc/${process.pid}/environ`), 'EACCES');
  t.equal(await read(`/proc/${process.pid}/maps`), 'EACCES');
  t.equal(await read('/dev/null'), 'EACCES', 'a device is no file');
  t.equal(await read(join(folder, 'nothing')), 'ENOENT');
  t.ok((await room.lstat(join(folder, 'link'))).isSymbolicLink());
  t.ok((await room.readdir(folder)).some(({ name }) => name === 'own'));
  await t.rejects(room.readdir(join(folder, 'others')), { code: 'EACCES' });
});
