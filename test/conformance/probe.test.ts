import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compiledCode } from '../../features/support/home.ts';
import { Probe } from '../../features/support/probe.ts';
import { ProbedMachine } from '../../features/support/probed-machine.ts';
import { Service } from '../../features/support/process.ts';
import { foreignTarget, startTarget, svcProgram } from '../../features/support/target.ts';
import { startStanding } from './standing.ts';
import { leaveOut } from '../kit/needs.ts';

async function folder(t: Test): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-probe-test-'));
  t.teardown(() => rm(made, { recursive: true, force: true }));
  return made;
}

t.test('on a machine that shares nothing, files come and go through the service', async (t) => {
  const standing = await startStanding();
  try {
    if (!standing.apart) return leaveOut(t, 'namespaces');
    const probe = await Probe.open({ ...standing, org: 'standing' });
    t.equal(probe.shared, false);
    const here = await folder(t);
    const machine = new ProbedMachine(probe, here);
    const path = (name: string) => join(here, name);
    const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, n) => (n * 7919) % 251));
    await mkdir(path('in'));
    await writeFile(path('in/all bytes'), bytes);
    await writeFile(path("it's"), 'old');
    await symlink('/nowhere', path('link'));
    t.equal(await probe.read(path("it's")), undefined, 'nothing is there before it is brought');
    await machine.bring();
    t.same(await probe.read(path('in/all bytes')), bytes);

    await writeFile(path("it's"), 'newer');
    t.equal((await machine.read(path("it's")))?.toString(), 'newer', 'what is newer here counts');
    t.equal((await probe.read(path("it's")))?.toString(), 'old');
    await machine.bring();
    t.equal((await probe.read(path("it's")))?.toString(), 'newer');
    await rm(path("it's"));
    t.equal((await machine.read(path("it's")))?.toString(), 'newer', 'what only that machine has is read there');
    t.equal(await machine.read(path('never')), undefined);

    t.equal(await machine.lives(1), true);
    t.equal(await machine.lives(4_194_304), false, 'no process has an id that high');
    machine.leave();
    t.equal(await probe.read(path('in/all bytes')), undefined, 'the next call removes what a scenario left');
    await probe.close();
  } finally {
    await standing.stop();
  }
});

t.test('a run takes the agent built into svc dev, which serves every org', async (t) => {
  const cwd = await folder(t);
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, ...compiledCode() };
  const dev = new Service(svcProgram, ['dev', '--port', '0'], { cwd, env });
  t.teardown(() => dev.kill('SIGTERM'));
  const [, url = ''] = await dev.says(/svc dev is ready: (\S+)/);
  const { token } = JSON.parse(await readFile(join(cwd, '.svc/profile.json'), 'utf8')) as { token: string };
  const target = await foreignTarget(url, token);
  t.equal(target.org, 'dev');
  t.equal(target.probe?.shared, true);
  await target.close();
});

t.test('agents on several machines are found out', async (t) => {
  const target = await startTarget();
  try {
    const probe = await Probe.open(target);
    t.equal(probe.shared, true, 'this machine sees its own files');
    const path = join(await folder(t), 'file');
    await writeFile(path, 'here');
    t.equal((await probe.read(path))?.toString(), await readFile(path, 'utf8'));
    // As it would be on another machine.
    await rm(probe.mark);
    await t.rejects(probe.read(path), /the agents run on more than one machine/);
  } finally {
    await target.close();
  }
});
