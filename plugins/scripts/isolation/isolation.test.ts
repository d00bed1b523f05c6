import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ids } from '../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import { Activity, systemClock as clock } from '../../../test/kit/index.ts';
import { type Bench, openBench } from '../executor/testing/host.ts';
import { Isolation } from './isolation.ts';

t.setTimeout(120_000);

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };

/** Nothing to test on a machine whose kernel has no namespaces for this user. */
const missing = await new Isolation({ env: process.env, ids, node: process.execPath }).fault();

async function bench(t: Test): Promise<Bench> {
  const opened = await openBench({ clock, ids, native: true });
  t.teardown(() => opened.close());
  return opened;
}

/** A folder that every user of the machine may enter. */
async function open(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

function output(end: PassEnd): Record<string, unknown> {
  if (end.end === 'completed' && end.completion.status === 'succeeded')
    return end.completion.output as Record<string, unknown>;
  throw new Error(`not a success: ${JSON.stringify(end)}`);
}

function failure(end: PassEnd): string {
  if (end.end === 'completed' && end.completion.status === 'failed')
    return `${end.completion.code}: ${end.completion.message}`;
  throw new Error(`not a failure: ${JSON.stringify(end)}`);
}

t.test(
  'an untrusted script',
  { skip: missing !== undefined && `this machine cannot isolate: ${missing}` },
  async (t) => {
    const { finish, runtime_dir } = await bench(t);
    const run = (source: string, more = {}) =>
      finish(new Activity(), { source, filename: 'job.sh', trusted: false, ...more });

    t.test('runs with all verbs, and is replayed', async (t) => {
      const activity = new Activity();
      const source = `
      svc step build -- sh -c 'echo built > made; cat made'
      svc sleep 1h
      svc step where -- pwd
      svc output set home="$HOME" tmp="$TMPDIR" left="$(ls)"
    `;
      const said = output(await finish(activity, { source, filename: 'job.sh', trusted: false }));
      t.match(said.home, runtime_dir);
      t.equal(said.tmp, '/tmp');
      t.equal(said.left, '', 'each pass has a new folder');
      t.match(activity.sites(), [/build/, /sleep/, /where/]);
    });

    t.test('sees no process but its own, and no file of others', async (t) => {
      const secret = await mkdtemp(join(tmpdir(), 'svc-secret-'));
      t.teardown(() => rm(secret, { recursive: true }));
      await writeFile(join(secret, 'value'), 'canary');
      const said = output(
        await run(`
        svc output set \\
          processes="$(ls -d /proc/[0-9]* | wc -l)" \\
          agent="$(cat /proc/$SVC_AGENT_PID/environ 2>/dev/null | wc -c)" \\
          secret="$(cat ${secret}/value 2>&1 || true)" \\
          others="$(ls ${runtime_dir})" \\
          home="$(ls -A /root /home /srv /opt /var /run 2>/dev/null || true)" \\
          user="$(id -u)" \\
          privileges="$(grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status | cut -f2 | tr '\\n' ' ')"
      `),
      );
      t.ok(Number(said.processes) < 8, `it sees ${said.processes} processes`);
      t.equal(said.agent, '0');
      t.match(said.secret, /No such file/);
      t.match(said.others, /^bin\nnode_modules\np[0-9a-f]+\nsdk$/, 'of the agent it sees its tools and its own pass');
      t.equal(said.home, '');
      t.equal(said.privileges, '0000000000000000 0000000000000000 0000000000000000 1 ');
      if (process.getuid?.() === 0) t.ok(Number(said.user) >= 61_184, 'another user than the agent');
    });

    t.test('writes nothing of the machine, and nothing that its agent reads for others', async (t) => {
      const said = output(
        await run(`
        try() { "$@" 2>/dev/null && echo done || echo refused; }
        folder=$(dirname "$SVC_INPUT_FILE")
        tools=$(dirname "$(command -v -p svc || type -P svc)")
        svc output set \\
          system="$(try touch /usr/x /etc/x)" source="$(try touch "$folder/source/x")" \\
          input="$(try sh -c 'echo x >> "$SVC_INPUT_FILE"')" tools="$(try touch "$tools/x")" \\
          sdk="$(try touch ${runtime_dir}/node_modules/svc/x)" \\
          remount="$(try unshare -U -r -m mount -o remount,rw /usr)" own="$(try touch x /tmp/x "$HOME/x")"
      `),
      );
      const { own, ...rest } = said;
      t.equal(own, 'done');
      t.same(new Set(Object.values(rest)), new Set(['refused']));
    });

    t.test('names no file to its agent that it cannot see itself, by no link either', async (t) => {
      const secret = await mkdtemp(join(tmpdir(), 'svc-secret-'));
      t.teardown(() => rm(secret, { recursive: true }));
      await writeFile(join(secret, 'value'), 'echo canary');
      const activity = new Activity();
      const end = await finish(activity, {
        filename: 'job.sh',
        trusted: false,
        source: `
        ln -s ${secret} folder; ln -s ${secret}/value file; echo 'echo mine' > own; mkdir below; cp own below/own
        svc spawn ${secret}/value || true
        svc spawn folder/value || true
        svc spawn file || true
        svc spawn /tmp/../${secret}/value || true
        svc spawn below/own || true
      `,
      });
      t.same(output(end), {});
      const spawned = activity.journal.filter(({ kind }) => kind === 'spawn');
      t.equal(spawned.filter(({ exit_code }) => exit_code === 0).length, 1, 'only its own file');
      t.notMatch(JSON.stringify(activity), /canary/);
    });

    t.test('has the verbs of scripts, and no other command of svc', async (t) => {
      const away = join(tmpdir(), 'svc-not-in-sight', 'main.mjs');
      const cli = await openBench({ clock, ids, native: true, cli: [process.execPath, away] });
      t.teardown(() => cli.close());
      const source = `svc output set said="$(svc runs ls 2>&1 || echo "exit $?")"`;
      t.match(output(await cli.finish(new Activity(), { source, filename: 'x.sh', trusted: false })), {
        said: /`svc runs` is not to be had here: an isolated run has the verbs.*\nexit 1$/s,
      });
    });

    t.test('ends as it ends: by exit code, by signal, and with all that it left behind', async (t) => {
      t.match(failure(await run('exit 7')), /exit code 7/);
      t.match(failure(await run('kill -SEGV $$')), /SIGSEGV/);
      const began = performance.now();
      output(await run('sleep 600 & setsid sleep 600 & exit 0'));
      t.ok(performance.now() - began < 60_000);
    });

    t.test('says what is out of its sight', async (t) => {
      const folder = await open('svc-tools-');
      t.teardown(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'strange'), '#!/bin/sh\n', { mode: 0o755 });
      const env = { ...process.env, PATH: `${process.env.PATH}:${folder}` };
      const blind = await openBench({ clock, ids, native: true, env });
      t.teardown(() => blind.close());
      const script = { source: '', filename: 'x', interpreter: 'strange', trusted: false };
      t.match(failure(await blind.finish(new Activity(), script)), /interpreter_missing: .*strange.*--show/);
      const shown = await openBench({ clock, ids, native: true, env: { ...env, SVC_AGENT_SHOW: folder } });
      t.teardown(() => shown.close());
      t.same(output(await shown.finish(new Activity(), script)), {});
      t.match(failure(await run('', { interpreter: './nothing' })), /script_not_started.*isolation.*nothing/);
    });

    t.test('a token file below a shown folder is hidden', async (t) => {
      const folder = await open('svc-shown-');
      t.teardown(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'token'), 'canary', { mode: 0o644 });
      const env = { ...process.env, SVC_AGENT_SHOW: folder, SVC_TOKEN_FILE: join(folder, 'token') };
      const hiding = await openBench({ clock, ids, native: true, env });
      t.teardown(() => hiding.close());
      const source = `svc output set token="$(cat ${folder}/token)" files="$(ls ${folder})"`;
      t.same(output(await hiding.finish(new Activity(), { source, filename: 'x.sh', trusted: false })), {
        token: '',
        files: 'token',
      });
    });

    t.test('Python and TypeScript with their SDKs', async (t) => {
      const python = 'import svc_sdk as svc\nsvc.step("a", lambda: 1)\nsvc.output.set(ok=True)\n';
      t.same(output(await finish(new Activity(), { source: python, filename: 'a.py', trusted: false })), { ok: true });
      const script = `import { step, output } from 'svc/sdk';\nawait step('a', () => 1);\nawait output.set({ ok: true });\n`;
      t.same(output(await finish(new Activity(), { source: script, filename: 'a.ts', trusted: false })), { ok: true });
    });
  },
);

t.test('a machine that cannot isolate runs nothing untrusted', async (t) => {
  const isolation = new Isolation({ env: process.env, ids, node: process.execPath, native: false });
  t.match(await isolation.fault(), /not compiled/);
  const opened = await openBench({ clock, ids, native: true, isolation });
  t.teardown(() => opened.close());
  const script = { source: 'svc output set ran=yes', filename: 'x.sh', trusted: false };
  await t.rejects(opened.finish(new Activity(), script), /cannot isolate/);
  t.same(output(await opened.finish(new Activity(), { ...script, trusted: true })), { ran: 'yes' });
});

/** The same once more, as a user without privileges: there a user namespace does it. */
const NOBODY = 65_534;
if (process.getuid?.() === 0)
  t.test('as an ordinary user', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'svc-nobody-'));
    t.teardown(() => rm(home, { recursive: true, force: true }));
    await chown(home, NOBODY, NOBODY);
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
    const other = { uid: NOBODY, gid: NOBODY, env, cwd: home };
    const seen = spawnSync(
      process.execPath,
      ['-e', `require('fs').accessSync(${JSON.stringify(import.meta.filename)})`],
      other,
    );
    if (seen.status !== 0) return t.comment('left out: isolation by an ordinary user, who cannot read this folder');
    const { status, stdout } = spawnSync(process.execPath, [import.meta.filename], other);
    t.equal(status, 0, stdout.toString());
    t.match(stdout.toString(), /ok \d+ - sees no process but its own/);
  });
