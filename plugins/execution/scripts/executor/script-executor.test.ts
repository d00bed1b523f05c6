import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import t from 'tap';
import type { Clock, Ids } from '../../../../kernel/contracts/index.ts';
import type { PassEnd } from '../../agents/contract.ts';
import { nativePrograms } from '../native/build.mjs';
import { openBench } from './testing/host.ts';
import { Activity, Refusals } from '../../../../test/kit/index.ts';
import { randomBytes } from 'node:crypto';
import { lacking, needs } from '../../../../test/kit/needs.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delay, run) {
    const timer = setTimeout(run, delay);
    return () => clearTimeout(timer);
  },
};
const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };

const bash = (source: string) => ({ source, filename: 'job.sh' });

/** True when the process exists and is not a zombie. */
function runs(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function message(end: PassEnd): string {
  if (end.end !== 'completed' || end.completion.status !== 'failed')
    throw new Error(`not a failure: ${JSON.stringify(end)}`);
  return `${end.completion.code}: ${end.completion.message}`;
}

function output(end: PassEnd): unknown {
  if (end.end === 'completed' && end.completion.status === 'succeeded') return end.completion.output;
  throw new Error(`not a success: ${JSON.stringify(end)}`);
}

const { why } = await nativePrograms();

for (const native of [true, false])
  t.test(native ? 'native programs' : 'Node programs', lacking('cc', native ? why : undefined), async (t) => {
    const bench = await openBench({ clock, ids, native });
    t.teardown(() => bench.close());
    const run = (activity: Activity, source: string) => bench.finish(activity, bash(source));

    t.test('steps, sleeps and signals survive parks, each recorded and logged once', async (t) => {
      const activity = new Activity();
      const source = `
        echo "pass begins"
        svc step build --label Build -- echo built
        svc sleep 1h
        for i in 1 2; do svc step loop -- echo "round $i"; done
        got=$(svc wait-signal go --timeout 5m)
        svc step use -- printf '%s' "$got"
        svc output set answer:=42 text=a=b
      `;
      const wakes: unknown[] = [];
      const end = await bench.finish(activity, bash(source), (wait) => {
        wakes.push([wait.kind, wait.name, wait.timeout_ms]);
        if (wait.kind === 'wait-signal') activity.wake(0, '{"ok":true}\n');
        else activity.wake();
      });
      t.same(output(end), { answer: 42, text: 'a=b' });
      t.same(wakes, [
        ['sleep', '', 3_600_000],
        ['wait-signal', 'go', 300_000],
      ]);
      t.same(activity.sites(), [
        'step build#0=0',
        'sleep #0=0',
        'step loop#0=0',
        'step loop#1=0',
        'wait-signal go#0=0',
        'step use#0=0',
      ]);
      t.equal(activity.journal[0]!.label, 'Build');
      t.equal(activity.output(5), '{"ok":true}');
      t.equal(activity.passes, 3);
      t.equal(activity.text().match(/pass begins/g)?.length, 3, 'plain shell prints once per pass');
      t.equal(activity.text().match(/built/g)?.length, 1, 'a step is logged once');
      t.equal(activity.text().match(/round/g)?.length, 2);
    });

    t.test('what was printed before a wait is in the log of that pass', async (t) => {
      const activity = new Activity();
      const pass = await bench.begin(activity, bash('echo before; echo warned >&2; svc sleep 1h; echo after')).result;
      t.same(pass, { end: 'parked' });
      t.equal(activity.text(), 'before\n');
      t.equal(activity.text('stderr'), 'warned\n');
    });

    t.test('so it is on a machine so busy that the output is read late', async (t) => {
      const activity = new Activity();
      // What reads the output stands still, as if it got no processor.
      const source = `
        own=${native ? "$(cut -d' ' -f4 /proc/$PPID/stat)" : '$PPID'}
        (sleep 0.3; kill -CONT $own) >/dev/null 2>&1 &
        kill -STOP $own
        echo before; echo warned >&2; svc sleep 1h
      `;
      const logged: string[] = [];
      const park = activity.park.bind(activity);
      activity.park = (wait) => {
        logged.push(activity.text(), activity.text('stderr'));
        return park(wait);
      };
      t.same(await bench.begin(activity, bash(source)).result, { end: 'parked' });
      t.same(logged, ['before\n', 'warned\n'], 'after the park nothing can be logged any more');
    });

    t.test('the payload of a signal that woke the run is printed, and not again later', async (t) => {
      const activity = new Activity();
      const source = 'svc wait-signal a; svc sleep 1s; svc wait-signal b';
      activity.signals.push({ name: 'b', payload: 'second' });
      await bench.finish(activity, bash(source), (wait) => activity.wake(0, wait.kind === 'sleep' ? '' : '"first"\n'));
      t.equal(activity.text(), '"first"\n"second"\n');
    });

    t.test('a step: environment, key, exit codes, binary output, standard streams', async (t) => {
      const activity = new Activity();
      const source = `
        set +e
        export KEEP=1
        svc step env -- env
        svc step fails -- bash -c 'echo out; echo err >&2; exit 7'; echo "code $?"
        svc step absent -- /no/such/program; echo "code $?"
        svc step unexecutable -- /etc/passwd; echo "code $?"
        svc step signal -- bash -c 'kill -TERM $$'; echo "code $?"
        svc step bytes -- printf 'a\\0b' | od -An -c | tr -d ' '
        svc step closed -- echo hidden >&-
        svc step nested -- svc step inner -- true; echo "code $?"
        svc step stdin -- cat <<<"handed in"
        svc step odd -- printf %s $'\\xff\\xfe' | od -An -tx1 | tr -d ' '
        svc frobnicate --now
        true
      `;
      const end = await run(activity, source);
      t.same(output(end), {});
      const env = activity.output(0);
      t.match(env, /^KEEP=1$/m);
      t.same(env.match(/^SVC_[A-Z_]+/gm), ['SVC_IDEMPOTENCY_KEY'], 'the body sees one SVC_ variable');
      t.match(env, /^SVC_IDEMPOTENCY_KEY=[0-9a-f]{64}$/m);
      t.same(
        activity.journal.map((record) => record.exit_code),
        [0, 7, 127, 126, 143, 0, 0, 1, 0, 0],
      );
      t.equal(Buffer.from(activity.journal[5]!.output, 'base64').toString('latin1'), 'a\0b');
      t.equal(activity.output(6), 'hidden\n');
      // Node passes arguments as text; the native client keeps their bytes.
      const bytes = Buffer.from(activity.journal[9]!.output, 'base64').toString('hex');
      t.equal(bytes, native ? 'fffe' : 'efbfbdefbfbd');
      const text = activity.text();
      t.match(text, /code 7\n/);
      t.match(text, /a\\0b/);
      t.match(text, /handed in/);
      t.match(text, /full command line: frobnicate --now/);
      t.match(activity.text('stderr'), /SVC_AGENT_SOCKET is not set/);
    });

    t.test('an output over 2 MiB is refused, recorded as a failure, and refused again on replay', async (t) => {
      const activity = new Activity();
      const source = `
        code=0; text=$(svc step big -- head -c 2097155 /dev/zero) || code=$?
        echo "got \${#text} code $code"
        svc step exact -- head -c 2097152 /dev/zero | wc -c
        svc sleep 1s
      `;
      t.same(output(await run(activity, source)), {});
      t.match(activity.text(), /^got 0 code 1\n2097152\ngot 0 code 1\n2097152\n$/);
      t.match(activity.text('stderr'), /big#0 is 3 bytes over the limit of 2 MiB/);
      t.equal(activity.text('stderr').match(/over the limit/g)?.length, 1);
      t.same(activity.sites().slice(0, 2), ['step big#0=1', 'step exact#0=0']);
    });

    t.test('a failing step ends a bash script, and the run says which', async (t) => {
      const activity = new Activity();
      const end = await run(
        activity,
        'svc step fine -- true\nsvc step check -- bash -c "echo broken >&2; exit 3"\necho never',
      );
      t.match(message(end), /^script_failed: the script ended with exit code 3\n.*check#0, failed with exit code 3/);
      t.match(message(end), /broken/);
      t.notMatch(activity.text(), /never/);
      t.equal((end as { completion: { exit_code: number } }).completion.exit_code, 3);
    });

    t.test('calls made at the same time are served one at a time, none lost', async (t) => {
      const activity = new Activity();
      const source = `
        for i in $(seq 12); do svc step "p$i" -- bash -c 'echo in; echo out' & done
        wait
      `;
      t.same(output(await run(activity, source)), {});
      t.equal(activity.journal.length, 12);
      t.equal(new Set(activity.journal.map((record) => record.name)).size, 12);
      t.match(activity.text(), /^(in\nout\n){12}$/);
    });

    t.test('another order of calls fails the run, showing both sides', async (t) => {
      const activity = new Activity();
      const source =
        'if [ -e turned ]; then svc step second -- true; else touch turned; svc step first -- true; fi; svc sleep 1h; rm turned';
      const end = await run(activity, source.replaceAll('turned', `turned-${native}`));
      t.match(message(end), /^determinism_violation: /);
      t.match(message(end), /position: 0\n {2}recorded: step first#0\n {2}present: {2}step second#0/);
      t.equal(activity.journal.length, 2, 'nothing was recorded for the call that differs');
    });

    t.test('a script that ends before it has repeated its calls is a violation', async (t) => {
      const activity = new Activity();
      const end = await run(
        activity,
        `[ -e early-${native} ] && exit 0; touch early-${native}; svc step a -- true; svc sleep 1h`,
      );
      t.match(message(end), /^determinism_violation: .*exit code 0[\s\S]*recorded: step a#0 \(2 calls in total\)/);
    });

    t.test('state, notes and usage', async (t) => {
      const activity = new Activity();
      const source = `
        set +e
        svc state set count 1; svc state set --entity app version "1 0"; printf piped | svc state set piped -
        svc state get count; svc state get piped; svc state get nothing; echo "code $?"; svc state list
        svc annotate "# One"; printf '# Two' | svc annotate -
        svc sleep soon; echo "code $?"
        svc wait-signal event:push; echo "code $?"
        svc step; echo "code $?"
        svc step x --lable y -- true; echo "code $?"
        svc step --help
        svc output set novalue; echo "code $?"
        svc sleep 0s; echo "code $?"
      `;
      t.same(output(await run(activity, source)), {});
      t.equal(activity.cells.get('app/version'), '1 0');
      t.equal(activity.cells.get('/piped'), 'piped');
      t.same(activity.notes, ['# One', '# Two']);
      t.match(
        activity.text(),
        /^1\npiped\ncode 1\n\/count\napp\/version\n\/piped\n\n?(code 2\n){4}usage: svc step <name>[\s\S]*code 2\ncode 0\n$/,
      );
      t.match(activity.text('stderr'), /svc sleep: .*soon.*\nusage: svc sleep <duration>/);
      t.match(activity.text('stderr'), /svc: no state nothing/);
      t.equal(activity.journal.at(-1)!.kind, 'sleep', 'refused calls take no position');
      t.equal(activity.journal.length, 8);
    });

    t.test(
      'a script killed from outside is taken up where it was; a fatal signal of its own is a failure',
      async (t) => {
        const activity = new Activity();
        const source = `svc step a -- echo one; [ -e again-${native} ] || { touch again-${native}; kill -KILL $$; }; svc step b -- echo two`;
        t.same(output(await run(activity, source)), {});
        t.equal(activity.passes, 2);
        t.same(activity.sites(), ['step a#0=0', 'step b#0=0']);
        t.match(
          message(await run(new Activity(), 'kill -SEGV $$')),
          /^script_failed: the script ended with signal SIGSEGV/,
        );
        const stuck = new Activity();
        t.match(message(await run(stuck, 'kill -KILL $$')), /^script_killed: /);
        t.equal(stuck.passes, 25);
      },
    );

    t.test('a verb client that is killed while the script lives counts as a step killed', async (t) => {
      const activity = new Activity();
      const source = `
        svc step slow -- bash -c 'touch began; exec sleep 1000' & client=$!
        if [ ! -e killed ]; then
          until [ -e began ]; do :; done
          touch killed; kill -KILL $client
        fi
        wait $client || echo "code $?"
        svc step next -- true
        svc sleep 1s
      `;
      t.same(output(await bench.finish(activity, bash(source.replace(/began|killed/g, `$&-${native}`)))), {});
      t.same(activity.sites(), ['step slow#0=137', 'step next#0=0', 'sleep #0=0']);
      t.match(activity.text(), /^code 137\ncode 137\n$/, 'later passes see what the first saw');
    });

    t.test('daemons of a script do not outlive it, nor a wait', async (t) => {
      const activity = new Activity();
      const source = `
        (setsid bash -c 'echo daemon $$; touch up; exec sleep 1000' &)
        sleep 1000 & echo "job $!"
        until [ -e up ]; do :; done
        rm up
      `;
      t.same(output(await run(activity, source)), {});
      const pids = [...activity.text().matchAll(/(?:job|daemon) (\d+)/g)].map(([, pid]) => Number(pid));
      t.equal(pids.length, 2);
      t.same(pids.filter(runs), []);
    });

    t.test('stopping: the steps that die of it are not recorded, and who ignores SIGTERM is killed', async (t) => {
      const activity = new Activity();
      const source = `trap '' TERM; svc step a -- true; echo ready; svc step hang -- bash -c "echo hanging; sleep 1000"; echo on`;
      const pass = bench.begin(activity, bash(source));
      await activity.until(() => activity.text().includes('hanging'));
      pass.stop('draining');
      pass.stop('draining');
      t.same(await pass.result, { end: 'released' });
      t.same(activity.sites(), ['step a#0=0']);
      const second = bench.begin(activity, bash(source));
      await activity.until(() => activity.text().split('hanging').length === 3);
      second.stop('revoked');
      t.same(await second.result, { end: 'lost' });
      t.same(activity.sites(), ['step a#0=0']);
      const early = bench.begin(activity, bash('echo too far'));
      early.stop('draining');
      t.same(await early.result, { end: 'released' });
      t.notMatch(activity.text(), /too far/);
    });

    t.test('what the server refuses', async (t) => {
      const lost = new Activity();
      lost.onAppend = () => {
        lost.refusal = Refusals.leaseLost('claimed by another agent');
      };
      t.same(await bench.begin(lost, bash('svc step a -- true; echo on')).result, { end: 'lost' });
      t.notMatch(lost.text(), /on/);

      const denied = new Activity();
      denied.onAppend = () => {
        denied.refusal = Refusals.refused('not this record');
      };
      t.match(
        message(await run(denied, 'svc step a -- true || true; echo on')),
        /^refused_in_test: .*could not be recorded/,
      );

      const away = new Activity();
      away.refusal = Refusals.down('the database is down');
      await t.rejects(bench.begin(away, bash('svc sleep 1s')).result, { code: 'unavailable' });

      const refusing = new Activity();
      refusing.refusal = Refusals.refused('no notes');
      t.same(output(await run(refusing, 'svc annotate x || echo "code $?"')), {});
      t.equal(refusing.text(), 'code 1\n');
      t.match(refusing.text('stderr'), /svc annotate: no notes\nAsk for something else\./);
    });

    t.test('nothing is left in the folder of the agent', async (t) => {
      // The folder of a bash that waits goes with it.
      await bench.executor.drain?.();
      const left = await readdir(bench.runtime_dir);
      t.same(
        left.filter((name) => name.startsWith('p')),
        [],
      );
    });
  });

t.test('other languages', async (t) => {
  const bench = await openBench({ clock, ids });
  t.teardown(() => bench.close());
  const sites = ['step build#0=0', 'sleep #0=0', 'step build#1=0', 'wait-signal go#0=124'];
  const wake = (activity: Activity) => (wait: { kind: string }) => activity.wake(wait.kind === 'sleep' ? 0 : 124);

  const programs: Record<string, string> = {
    'job.py': `
import subprocess, os, json
def svc(*args): return subprocess.run(['svc', *args], stdout=subprocess.PIPE)
assert svc('step', 'build', '--', 'echo', 'one').stdout == b'one\\n'
svc('sleep', '1h')
assert svc('step', 'build', '--', 'printf', 'a\\\\0b').stdout == b'a\\0b'
assert svc('wait-signal', 'go', '--timeout', '1s').returncode == 124
svc('output', 'set', 'type=' + json.load(open(os.environ['SVC_INPUT_FILE']))['type'])
`,
    'job.js': `
const { spawnSync } = require('node:child_process');
const svc = (...args) => spawnSync('svc', args, { stdio: ['ignore', 'pipe', 'inherit'] });
if (svc('step', 'build', '--', 'echo', 'one').stdout.toString() !== 'one\\n') process.exit(9);
svc('sleep', '1h');
svc('step', 'build', '--', 'echo', 'two');
if (svc('wait-signal', 'go', '--timeout', '1s').status !== 124) process.exit(8);
svc('output', 'set', 'type=' + JSON.parse(require('node:fs').readFileSync(process.env.SVC_INPUT_FILE)).type);
`,
    'job.ts': `
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const svc = (...args: string[]) => spawnSync('svc', args, { stdio: ['ignore', 'pipe', 'inherit'] });
if (svc('step', 'build', '--', 'echo', 'one').stdout.toString() !== 'one\\n') process.exit(9);
svc('sleep', '1h');
svc('step', 'build', '--', 'echo', 'two');
if (svc('wait-signal', 'go', '--timeout', '1s').status !== 124) process.exit(8);
interface Envelope { type: string }
svc('output', 'set', 'type=' + (JSON.parse(readFileSync(process.env.SVC_INPUT_FILE!, 'utf8')) as Envelope).type);
`,
  };
  for (const [filename, source] of Object.entries(programs))
    t.test(filename, filename.endsWith('.py') ? needs('python3') : {}, async (t) => {
      const activity = new Activity();
      const end = await bench.finish(activity, { filename, source }, wake(activity));
      t.same(output(end), { type: 'manual' }, activity.text('stderr'));
      t.same(activity.sites(), sites);
      t.equal(activity.text('stderr'), '', 'the interpreter warns of nothing');
    });

  t.test('--interpreter is split at spaces and wins; a missing one is named with the agent', async (t) => {
    const activity = new Activity();
    const script = { filename: 'x.py', source: 'set -- "$-"; echo "flags $1"', interpreter: 'bash  -x' };
    t.same(output(await bench.finish(activity, script)), {});
    t.match(activity.text(), /flags .*x/);
    const missing = await bench.finish(new Activity(), { ...script, interpreter: 'no-such-interpreter -q' });
    t.match(
      message(missing),
      /^interpreter_missing: agent tester \(agt_test\) has no interpreter "no-such-interpreter"/,
    );
  });

  t.test('the environment of a script is exactly what the specification lists', async (t) => {
    const activity = new Activity();
    const env = { PATH: process.env.PATH, HOME: '/h', LC_ALL: 'C', TZ: 'UTC', SECRET_OF_AGENT: 'x', SVC_TOKEN: 'x' };
    const strict = await openBench({ clock, ids, env });
    t.teardown(() => strict.close());
    const end = await strict.finish(activity, {
      source:
        'env -0 | tr "\\0" "\\n"; cat "$SVC_INPUT_FILE"; ls -ld "$SVC_INPUT_FILE" "$SVC_AGENT_SOCKET" "$(dirname "$SVC_INPUT_FILE")"',
      envelope: { type: 'push', event: 'evt_1', sha: '0123456789', repo: 'a/b', paths: ['x'], sender: null },
      environment: {
        below: [{ name: 'LOW', value: '1', secret: true }],
        workflow: { LOW: '2', HIGH: '2', PATH: '/mine', SVC_AGENT_ID: 'forged', SVC_OTHER: 'forged' },
        above: [{ name: 'HIGH', value: '3', secret: true }],
      },
    });
    t.same(output(end), {});
    const [variables, rest] = activity.text().split('{"type"');
    const seen = Object.fromEntries(
      variables!
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    );
    for (const own of ['PWD', 'SHLVL', '_']) delete seen[own]; // bash makes these
    const { PATH, SVC_AGENT_SOCKET, SVC_INPUT_FILE, ...others } = seen;
    t.same(others, {
      HOME: '/h',
      LC_ALL: 'C',
      TZ: 'UTC',
      LOW: '2',
      HIGH: '3',
      CI_TRIGGER_EVENT: 'push',
      CI_TRIGGER_EVENT_ID: 'evt_1',
      CI_TRIGGER_SHA: '0123456789',
      CI_TRIGGER_SHORT_SHA: '0123456',
      CI_TRIGGER_REPO: 'a/b',
      SVC_AGENT_PID: String(process.pid),
      SVC_AGENT_ID: 'agt_test',
      SVC_WORKFLOW_ID: 'run_1',
      SVC_ACTIVITY_ID: 'act_1',
    });
    t.ok(PATH!.endsWith(`:${process.env.PATH}`) && PATH!.startsWith(strict.runtime_dir));
    t.ok(SVC_AGENT_SOCKET && SVC_INPUT_FILE);
    t.match(rest, /-rw-------.*input\.json/);
    t.match(rest, /srw-------/);
    t.match(rest, /drwx------/);
  });

  t.test('secrets are not in the message of a failed run', async (t) => {
    const end = await bench.finish(new Activity(), {
      source: 'echo "token is $TOKEN" >&2; exit 1',
      environment: { above: [{ name: 'TOKEN', value: 'hunter2hunter2', secret: true }] },
    });
    t.match(message(end), /token is \*\*\*/);
    t.notMatch(message(end), /hunter2/);
  });

  t.test('what no process can be given fails the run at once', async (t) => {
    const nul = await bench.finish(new Activity(), { source: 'true', environment: { workflow: { A: 'x\0y' } } });
    t.match(message(nul), /^script_not_started: the environment variable A contains a NUL/);
    const large = { A: 'x'.repeat(200_000) };
    const long = await bench.finish(new Activity(), { source: 'true', environment: { workflow: large } });
    t.match(message(long), /^script_not_started: the script could not be started/);
  });
});
