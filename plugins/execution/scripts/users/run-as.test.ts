import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { type Assignment, type PassEnd, removeRuntimeDir } from '../../agents/contract.ts';
import { Activity, messageLog, systemClock as clock } from '../../../../test/kit/index.ts';
import { verbs } from '../executor/testing/plugins.ts';
import { createCommandExecutor } from '../executor/command-executor.ts';
import { AgentPrograms } from '../executor/programs.ts';
import { type Bench, openBench } from '../executor/testing/host.ts';
import { VerbClients } from '../executor/verb-clients.ts';
import { Isolation } from '../isolation/isolation.ts';
import { nativePrograms } from '../native/build.mjs';
import { openWarmBench } from '../warm/testing/warm-bench.ts';
import { RunUsers } from './run-users.ts';
import { lacking, needsOtherUsers } from '../../../../test/kit/needs.ts';

t.setTimeout(600_000);

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };
const { why } = await nativePrograms();
const as_root = lacking('root', process.getuid?.() !== 0 && 'only root can run programs as other users');
const as_users = needsOtherUsers();
const [A, B] = ['prj_a', 'prj_b'];

function output(end: PassEnd): Record<string, unknown> {
  if (end.end === 'completed' && end.completion.status === 'succeeded')
    return end.completion.output as Record<string, unknown>;
  throw new Error(`not a success: ${JSON.stringify(end)}`);
}

/** An agent that runs as root, and a user for each project. */
async function open(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-run-as-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711);
  const env = {
    ...process.env,
    ...{ HOME: '/root', USER: 'root', SVC_AGENT_RUN_AS: '20000-20099', SVC_AGENT_STATE: join(folder, 'state') },
  };
  const users = RunUsers.of({ env, ids, node: process.execPath, passwd: '' })!;
  await users.check();
  const isolation = new Isolation({ env, ids, node: process.execPath, users });
  return { folder, env, users, isolation };
}

const script = (project_id: string, source: string, filename = 'job.sh') => ({ project_id, source, filename });

/** What a run tries to read that is not its own: of the agent, of another run and of its project. */
const PROBE = `
  tried() { if "$@" >/dev/null 2>&1; then echo read; else echo refused; fi; }
  memory='import os; f = open("/proc/" + os.environ["SVC_AGENT_PID"] + "/mem", "rb"); f.seek(int(open("/proc/" + os.environ["SVC_AGENT_PID"] + "/maps").readline().split("-")[0], 16)); f.read(1)'
  svc output set \\
    memory="$(tried python3 -c "$memory")" environment="$(tried cat "/proc/$SVC_AGENT_PID/environ")" \\
    agent_files="$(tried ls "$RUNTIME")" token="$(tried cat "$TOKEN")" \\
    other_environment="$(tried cat "/proc/$VICTIM/environ")" other_input="$(tried cat "$INPUT")" \\
    other_socket="$(tried python3 -c 'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"])')" \\
    other_home="$(tried ls "$OTHER_HOME")" other_temporary="$(tried cat "$OTHER_TMP/kept")" other_kill="$(tried kill -0 "$VICTIM")" \\
    by_agent="$(tried svc spawn "$INPUT")" by_agent_token="$(tried svc spawn "$TOKEN")"
`;

/** Starts a run of one project that lives while `work` runs. */
async function withVictim(bench: Bench, folder: string, work: (variables: Record<string, string>) => Promise<void>) {
  const victim = new Activity();
  const source =
    'echo mine > "$TMPDIR/kept"; echo "$$ $SVC_INPUT_FILE $SVC_AGENT_SOCKET $HOME $TMPDIR"; while :; do sleep 1000; done';
  const pass = bench.begin(victim, script(A, source, 'victim.sh'));
  await victim.until(() => victim.text().includes('\n'));
  const [VICTIM = '', INPUT = '', SOCKET = '', OTHER_HOME = '', OTHER_TMP = ''] = victim.text().trim().split(' ');
  const TOKEN = join(folder, 'token');
  writeFileSync(TOKEN, 'svcs_secret', { mode: 0o600 });
  try {
    await work({ VICTIM, INPUT, SOCKET, OTHER_HOME, OTHER_TMP, TOKEN, RUNTIME: bench.runtime_dir });
  } finally {
    pass.stop('draining');
    await pass.result;
  }
}

t.test('a run of one project reads nothing of the agent or of another project', as_users, async (t) => {
  const { folder, env, isolation } = await open(t);
  const bench = await openBench({ clock, ids, env, isolation });
  t.teardown(() => bench.close());
  await withVictim(bench, folder, async (workflow) => {
    const end = await bench.finish(new Activity(), { ...script(B, PROBE), environment: { workflow } });
    const answers = output(end);
    t.equal(Object.keys(answers).length, 12);
    t.same(new Set(Object.values(answers)), new Set(['refused']), JSON.stringify(answers));
  });
  // A bash that waits has a folder of its own.
  await bench.executor.drain?.();
  t.same(
    readdirSync(bench.runtime_dir).filter((name) => /^[pjc][0-9a-f]/.test(name)),
    [],
    'nothing is left of the passes',
  );
});

t.test('the same run as root reads all of it: what --allow-root allows', as_root, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-as-root-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const bench = await openBench({ clock, ids, env: { ...process.env, TMPDIR: folder } });
  t.teardown(() => bench.close());
  await withVictim(bench, folder, async (workflow) => {
    const answers = output(await bench.finish(new Activity(), { ...script(B, PROBE), environment: { workflow } }));
    t.same(new Set(Object.values(answers)), new Set(['read']), JSON.stringify(answers));
  });
});

t.test('it has all that runs have, as its user', as_users, async (t) => {
  const { env, users, isolation } = await open(t);
  const bench = await openBench({ clock, ids, env, isolation });
  t.teardown(() => bench.close());
  const { uid, home } = await users.of(A);
  const activity = new Activity();
  const source = `
    echo mine > kept; echo out > /dev/stdout
    svc step user -- sh -c 'id -u; id -g; id -G'
    svc step timed --timeout 1m -- sh -c 'echo timed'
    echo 'svc output set spawned=yes' > spawned.sh
    svc spawn spawned.sh
    svc sleep 1h
    svc output set home="$HOME" here="$PWD" kept="$(cat kept)" user="\${USER-none}" id="$(id -u)" \\
      own="$(stat -c %u "$SVC_INPUT_FILE" "$SVC_AGENT_SOCKET" . "$HOME" /proc/$$ | tr '\\n' ' ')"
  `;
  const said = output(await bench.finish(activity, script(A, source)));
  t.same(said, {
    ...{ home, here: home, kept: 'mine', user: 'none', id: String(uid) },
    own: `${uid} ${uid} ${uid} ${uid} ${uid} `,
  });
  t.equal(activity.output(0), `${uid}\n${uid}\n${uid}\n`);
  const other = output(await bench.finish(new Activity(), script(B, 'svc output set id="$(id -u)" files="$(ls)"')));
  t.same(other, { id: String((await users.of(B)).uid), files: '' });
  const python = 'import svc_sdk as svc\nsvc.step("a", lambda: 1)\nsvc.output.set(ok=True)\n';
  t.same(output(await bench.finish(new Activity(), script(A, python, 'a.py'))), { ok: true });
  const typescript =
    "import { step, output } from 'svc/sdk';\nawait step('a', () => 1);\nawait output.set({ ok: true });\n";
  t.same(output(await bench.finish(new Activity(), script(A, typescript, 'a.ts'))), { ok: true });
});

t.test(
  'temporary files of a project are its own, and are removed with the folder of the agent',
  as_users,
  async (t) => {
    const { env, users, isolation } = await open(t);
    const bench = await openBench({ clock, ids, env, isolation });
    t.teardown(() => bench.close());
    const { uid } = await users.of(A);
    const left = `
    echo secret > "$TMPDIR/left"; mkdir "$TMPDIR/closed"; touch "$TMPDIR/closed/x"; chmod 0 "$TMPDIR/closed"
    svc output set tmp="$TMPDIR" made="$(dirname "$(mktemp)")" step="$(svc step t -- sh -c 'echo "$TMPDIR"')" \\
      mode="$(stat -c '%u %a' "$TMPDIR")"
  `;
    const own = join(bench.runtime_dir, `tmp-${uid}`);
    t.match(output(await bench.finish(new Activity(), script(A, left))), { tmp: own, made: own, mode: `${uid} 700` });
    const again = 'svc output set found="$(cat "$TMPDIR/left")" tmp="$TMPDIR"';
    t.same(output(await bench.finish(new Activity(), script(A, again))), { found: 'secret', tmp: own });
    const other = 'svc output set tmp="$TMPDIR" found="$(cat "$LEFT" 2>/dev/null || echo none)"';
    const environment = { workflow: { LEFT: join(own, 'left') } };
    const theirs = output(await bench.finish(new Activity(), { ...script(B, other), environment }));
    t.same(theirs, { tmp: join(bench.runtime_dir, `tmp-${(await users.of(B)).uid}`), found: 'none' });
    const named = { workflow: { TMPDIR: '/var/tmp' } };
    const chosen = { ...script(A, 'svc output set tmp="$TMPDIR"'), environment: named };
    t.same(output(await bench.finish(new Activity(), chosen)), { tmp: '/var/tmp' }, 'a run may choose another one');
    await removeRuntimeDir(bench.runtime_dir);
    t.notOk(existsSync(bench.runtime_dir));
  },
);

t.test('an interpreter waits as the user of its project', { ...lacking('cc', why), ...as_users }, async (t) => {
  const { env, users, isolation } = await open(t);
  const bench = await openWarmBench(t, { env, isolation });
  const source =
    'svc step a -- true; svc output set id="$(id -u)" home="$HOME" tmp="$(stat -c %u "$TMPDIR")" input="$(wc -c < "$SVC_INPUT_FILE")"';
  for (const [index, project] of [A, B, A].entries()) {
    const { uid, home } = await users.of(project);
    const before = bench.used();
    // A name of its own: the interpreter that comes after the last one would be taken for this one's.
    const named = script(project, source, `${index}.sh`);
    await bench.prime(named);
    const { end } = await bench.run(named);
    t.match(output(end), { id: String(uid), tmp: String(uid), home });
    t.ok(bench.used() > before, 'it ran in a prepared one');
  }
});

t.test('commands and programs of jobs', as_users, async (t) => {
  const { env, users, isolation } = await open(t);
  const runtime_dir = mkdtempSync(join(tmpdir(), 'svc-job-'));
  t.teardown(() => rmSync(runtime_dir, { recursive: true, force: true }));
  const { uid } = await users.of(A);
  const { log } = messageLog();
  const activity = new Activity();
  activity.agent = { id: 'agt_1', name: 'a', pid: process.pid, workdir: '/', runtime_dir, isolate_all: false };
  const assignment = {
    ...{
      activity_id: 'act_1',
      epoch: 1,
      run_id: 'run_1',
      project_id: A,
      name: 'child',
      executor: 'command',
      trusted: true,
    },
    ...{ spec: { argv: ['id', '-u'] }, envelope: {}, journal: [] },
    environment: { below: [], workflow: {}, above: [] },
  } as unknown as Assignment;
  const commands = createCommandExecutor({ clock, ids, log, isolation, env, grace_ms: 300 });
  t.teardown(() => commands.close());
  const end = output(await commands.start(assignment, activity).result);
  t.same(end, { exit_code: 0, stdout: Buffer.from(`${uid}\n`).toString('base64') });

  const clients = new VerbClients({ verbs: () => verbs, cli: ['/bin/echo'] });
  const programs = new AgentPrograms({ clock, ids, log, env, isolation, clients, grace_ms: 300 });
  t.teardown(() => programs.close());
  const journal = () => ({}) as never;
  const place = await programs.open({ assignment, host: activity, verbs: new Map(), journal });
  const [work, outputs] = [join(place.folder, 'work'), join(place.folder, 'outputs')];
  await place.createFolder(work);
  await place.createParentFolder(outputs);
  t.same([statSync(work).uid, statSync(outputs).uid], [uid, 0]);
  const source = join(place.folder, 'source/step.sh');
  writeFileSync(
    source,
    'id -u > made; mkdir -p deep/er; chmod 0 deep; ln -s /etc links; touch "$1/x" 2>/dev/null || echo closed > said; cat "$2/given" > got; touch "$2/x" "$2/given" 2>/dev/null || echo closed >> said',
  );
  await place.grantAccess(source);
  const readable = await place.createReadableFolder();
  writeFileSync(join(readable, 'given'), 'given');
  chmodSync(join(readable, 'given'), 0o644);
  const started = place.start({ argv: ['/bin/sh', source, outputs, readable], env: place.environment({}), cwd: work });
  t.match(await started.ended, { exit_code: 0 });
  const file = await place.disk_view.open(join(work, 'made'), 0);
  t.equal(await file.readFile('utf8').finally(() => file.close()), `${uid}\n`);
  t.equal(readFileSync(join(work, 'said'), 'utf8'), 'closed\nclosed\n', 'it writes nothing where its agent writes');
  t.equal(readFileSync(join(work, 'got'), 'utf8'), 'given', 'it reads what the agent hands over');
  await t.rejects(place.disk_view.open(join(work, 'links/passwd'), 0), 'no link is followed');
  await place.close();
  t.same(
    readdirSync(runtime_dir).filter((name) => name.startsWith('j')),
    [],
    'closed folders are gone too',
  );
  t.ok(statSync('/etc/passwd').isFile());
});
