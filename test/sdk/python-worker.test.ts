import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { boot, type TestServer, until } from '../kit/index.ts';
import { needs } from '../kit/needs.ts';

const workers = join(import.meta.dirname, 'workers');
const sdk = join(import.meta.dirname, '../../plugins/execution/scripts/sdk');
const svc = join(import.meta.dirname, '../../cli/svc');

interface Run {
  id: string;
  status: string;
  output?: unknown;
  error?: { code: string; message: string };
}

/** A server whose agent serves the workflows of a Python file. */
async function serve(t: Test, file: string, more: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-python-'));
  const env = {
    PATH: process.env.PATH,
    SVC_WORKER_FILES: join(workers, file),
    WORKER_FOLDER: folder,
    SVC_AGENT_SLOTS: '60',
    ...more,
  };
  const server: TestServer = await boot({ role: 'dev', access: 'stand-in', env });
  t.teardown(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const call = async (line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await server.call('member', `${method} ${server.scoped}${path}`, body);
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
    return answer;
  };
  return {
    server,
    call,
    submit: async (name: string, input: unknown, more: object = {}): Promise<string> =>
      (await call('POST /runs', { function: name, input, ...more })).json.run_id,
    end: async (id: string): Promise<Run> =>
      await until(
        async () => {
          const run = (await call(`GET /runs/${id}`)).json;
          return ['succeeded', 'failed', 'cancelled'].includes(run.status) && run;
        },
        { within_ms: 60_000, what: `the end of ${id}` },
      ),
    waitingFor: async (id: string, signal: string): Promise<void> =>
      void (await until(
        async () => {
          const { status, substate } = (await call(`GET /runs/${id}`)).json;
          return status === 'waiting' && JSON.stringify(substate).includes(`"${signal}"`);
        },
        { within_ms: 60_000, what: `${id} waits for ${signal}` },
      )),
    sites: async (id: string): Promise<string[]> =>
      (await call(`GET /runs/${id}/steps`)).json.steps.map(({ site }: { site: string }) => site),
    log: async (id: string): Promise<string> => (await call(`GET /runs/${id}/logs`)).text,
    lines: async (name: string): Promise<string[]> =>
      (await readFile(join(folder, name), 'utf8').catch(() => '')).split('\n').slice(0, -1),
  };
}

/** Both forms of a function. */
const FORMS = ['plain', 'aio'];

t.test('Python functions of a worker', { ...needs('python3'), timeout: 600_000 }, async (t) => {
  for (const form of FORMS)
    await t.test(`${form}: a recorded step is not repeated when the program is killed`, async (t) => {
      const worker = await serve(t, 'orders.py');
      const id = await worker.submit(`${form}-order`, { sku: 'bolt' });
      await worker.waitingFor(id, 'approved');
      await worker.call(`POST /runs/${id}/signals/approved`, { by: 'ana' });
      const run = await worker.end(id);
      t.same(run.output, { reserved: 'bolt', charged: 'charged', by: 'ana', doubled: 42 }, JSON.stringify(run.error));
      t.same(await worker.lines('reserved'), ['bolt'], 'the step before the kill ran once');
      const keys = await worker.lines('charge');
      t.equal(keys.length, 2, 'the step that was killed ran again');
      t.equal(new Set(keys).size, 1, 'with the same key');
      t.same(await worker.sites(id), ['reserve#0', 'charge#0', 'sleep#0', 'approved#0', 'function double#0']);
    });

  for (const form of FORMS)
    await t.test(`${form}: 50 runs in one process never mix`, async (t) => {
      const worker = await serve(t, 'orders.py');
      const all = Array.from({ length: 50 }, (_, me) => me);
      const ids = await Promise.all(
        all.map((me) => worker.submit(`${form}-crowd`, me, { env: { WHO: `name ${me}` } })),
      );
      for (const me of all) {
        const run = await worker.end(ids[me]!);
        const made = [0, 1, 2].map((nth) => [me, nth, `name ${me}`]);
        t.same(run.output, { made, mine: true, input: me, command: `name ${me}` }, JSON.stringify(run.error));
        const log = (await worker.log(ids[me]!)).split('\n').filter((line) => line !== '');
        const printed = form === 'plain' ? [`thread of ${me}`] : Array(3).fill(`task of ${me}`);
        t.same(log.sort(), [`complains name ${me}`, `${form} ${me}`, `logged ${me}`, ...printed].sort());
      }
    });

  await t.test('what a function raises', async (t) => {
    const worker = await serve(t, 'orders.py');
    const fail = async (name: string) => {
      const id = await worker.submit(name, 1);
      return { ...(await worker.end(id)), log: await worker.log(id) };
    };
    const failed = await fail('fails');
    t.equal(failed.error?.code, 'function_failed');
    t.match(failed.error?.message, /^RuntimeError: it went wrong\nTraceback \(most recent call last\):\n/);
    t.match(failed.error?.message, /orders\.py", line \d+, in deep\n {4}raise KeyError\("no such thing"\)\n/);
    t.match(failed.error?.message, /direct cause of the following exception/);
    t.match(failed.error?.message, /orders\.py", line \d+, in fails\n/);
    t.notMatch(failed.error?.message, /svc_sdk/, 'the lines of the SDK say nothing to a user');
    t.equal(failed.log, 'before\nhalf a line');

    const in_step = await fail('fails_in_step');
    t.match(in_step.error?.message, /^StepError: step "deep" failed: KeyError: 'no such thing'\n/);
    t.match(in_step.error?.message, /in deep\n/, 'the cause is told, with its lines');

    t.match((await fail('not_json')).error?.message, /^SvcError: a set cannot be a workflow's output/);
    t.match((await fail('leaves_error')).error?.message, /^ValueError: left behind\n/, 'of a task that nobody awaits');
    t.match(
      (await fail('blocks')).error?.message,
      /step would block the event loop of the worker: await svc_sdk\.aio\.step/,
    );
    t.match((await fail('outside')).error?.message, /step was called in a worker, but in none of its runs/);
    t.match((await fail('exits')).error?.message, /^SystemExit: 7\n/);
    t.equal((await fail('late')).output, 124, 'a step on the event loop is interrupted when its time is over');
    const { output } = await worker.end(await worker.submit('double', 4));
    t.equal(output, 8, 'others go on');
  });

  await t.test('a run that waits leaves nothing in the process', async (t) => {
    // A worker keeps functions that wait for a moment; this is what is left when it lets go of them.
    const worker = await serve(t, 'orders.py', { SVC_WORKER_KEEP: 'off' });
    const before = (await worker.end(await worker.submit('census', null))).output;
    const ids = await Promise.all(
      FORMS.flatMap((form) => Array.from({ length: 20 }, () => worker.submit(`${form}-waits`, null))),
    );
    for (const id of ids) await worker.waitingFor(id, 'go');
    const left = (await worker.end(await worker.submit('census', null))).output as { finally: string[] };
    const { finally: unwound, ...rest } = left;
    t.same(rest, { threads: 0, tasks: (before as { tasks: number }).tasks });
    t.same(
      unwound,
      ['aio', 'aside', 'plain'].flatMap((what) => Array(20).fill(what)),
    );
    t.same(await worker.lines('released'), [], 'none of it was done');
    for (const id of ids) await worker.call(`POST /runs/${id}/signals/go`, {});
    for (const id of ids) t.equal((await worker.end(id)).output, 'went');
    t.same(
      (await worker.lines('released')).sort(),
      FORMS.toReversed()
        .flatMap((form) => Array(20).fill(form))
        .sort(),
    );
    t.same(await worker.lines('compensated'), [], 'a wait that has parked the run is no error');
  });

  await t.test('a cancelled run ends, and its command with it', async (t) => {
    const worker = await serve(t, 'orders.py');
    for (const form of FORMS) {
      const id = await worker.submit(`${form}-stuck`, form);
      const pid = await until(async () => (await worker.lines(form))[0], { what: 'the command' });
      await worker.call(`POST /runs/${id}/cancel`);
      t.equal((await worker.end(id)).status, 'cancelled');
      await until(() => !isAlive(Number(pid)), { within_ms: 60_000, what: `the end of the command of ${form}` });
    }
    await until(
      async () => ((await worker.end(await worker.submit('census', null))).output as { threads: number }).threads === 0,
      { within_ms: 60_000, what: 'the end of the threads' },
    );
  });

  await t.test('options of a workflow', async (t) => {
    const worker = await serve(t, 'orders.py');
    const run = await worker.end(await worker.submit('checked', { sku: 'a' }));
    t.same(run.output, { sku: 'a', attempt: 3 }, 'its steps have its policy');
    await t.rejects(worker.submit('checked', {}), /input_invalid/, 'the server checks a JSON Schema');
    const { functions } = (await worker.call('GET /functions')).json;
    const found = functions.find(({ name }: { name: string }) => name === 'checked');
    t.match(found, { timeout: '1h', versions: 'replay' });

    t.equal((await worker.end(await worker.submit('named', { name: 'ana' }))).output, 'Named ana', 'a model is given');
    await t.rejects(worker.submit('named', {}), /input_invalid/, 'the server has the schema of a model');
    const refused = await worker.end(await worker.submit('named', { name: 'nobody' }));
    t.match(refused.error, { code: 'input_invalid', message: /does not accept this input: nobody is no name/ });
  });

  await t.test('the runs of a workflow take turns, whether a request or an event starts them', async (t) => {
    const worker = await serve(t, 'orders.py');
    const queued = async (id: string) =>
      t.match((await worker.call(`GET /runs/${id}`)).json, {
        status: 'queued',
        substate: { kind: 'awaiting_lease', name: 'function/turn/ana' },
      });
    const ids = [await worker.submit('turn', { who: 'ana' }), await worker.submit('turn', { who: 'ana' })];
    const other = await worker.submit('turn', { who: 'bo' });
    for (const id of [ids[0]!, other]) await worker.waitingFor(id, 'go');
    await queued(ids[1]!);
    await worker.call('PUT /handlers/turns', { on: ['placed'], function: 'turn' });
    await worker.call('POST /events', { type: 'placed', payload: { who: 'ana' } });
    const started = await until(
      async () => {
        const { runs } = (await worker.call('GET /runs')).json;
        return runs.map(({ run_id }: { run_id: string }) => run_id).find((id: string) => ![...ids, other].includes(id));
      },
      { within_ms: 60_000, what: 'the run that the event starts' },
    );
    await queued(started);
    for (const id of [...ids, started]) {
      await worker.waitingFor(id, 'go');
      await worker.call(`POST /runs/${id}/signals/go`, {});
      t.equal((await worker.end(id)).status, 'succeeded');
    }
  });

  await t.test('the file is a script as it is', async (t) => {
    const server = await boot({ role: 'dev', access: 'stand-in', env: { PATH: process.env.PATH } });
    t.teardown(() => server.close());
    const source = await readFile(join(workers, 'either.py'), 'utf8');
    for (const [name, output] of [
      ['plain', { who: 'ana 2', of: 'run_', input: 4 }],
      ['awaited', { result: 8 }],
    ] as const) {
      const env = { WORKFLOW: name, WHO: 'ana' };
      const document = { filename: 'either.py', source, input: 4, env };
      const { json } = await server.call('member', `POST ${server.scoped}/runs?wait=50s`, document);
      t.match(json, { status: 'succeeded', output }, JSON.stringify(json.error));
    }
  });

  await t.test('a process that a run forks makes no calls for it', async (t) => {
    const worker = await serve(t, 'orders.py');
    const id = await worker.submit('forks', null);
    t.equal((await worker.end(id)).output, 'after');
    t.same(await worker.lines('forked'), ['not_in_a_run']);
    t.equal(await worker.log(id), '');
  });

  await t.test('the program ends with its agent, whatever its threads wait for', async (t) => {
    const server = await boot({ access: 'stand-in' });
    const folder = await mkdtemp(join(tmpdir(), 'svc-python-'));
    t.teardown(async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, WORKER_FOLDER: folder, SVC_URL: server.url, SVC_TOKEN_FILE: await tokenFile(folder) };
    const agent = spawn(svc, ['worker', join(workers, 'orders.py')], { env, stdio: 'ignore' });
    t.teardown(() => agent.kill('SIGKILL'));
    const functions = async () => (await server.call('member', `GET ${server.scoped}/functions`)).json.functions;
    await until(async () => (await functions()).length > 0, { within_ms: 60_000, what: 'the workflows' });
    await server.call('member', `POST ${server.scoped}/runs`, { function: 'hangs' });
    const program = Number(
      await until(() => readFile(join(folder, 'program'), 'utf8').catch(() => ''), { within_ms: 60_000 }),
    );
    t.ok(isAlive(program));
    agent.kill('SIGKILL');
    await until(() => !isAlive(program), { within_ms: 60_000, what: 'the end of the program' });
  });

  await t.test('a program of its own serves beside its other work', async (t) => {
    const server = await boot({ access: 'stand-in' });
    const folder = await mkdtemp(join(tmpdir(), 'svc-python-'));
    t.teardown(async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONPATH: sdk,
      PYTHONDONTWRITEBYTECODE: '1',
      SVC_COMMAND: svc,
      SVC_URL: server.url,
      SVC_TOKEN_FILE: await tokenFile(folder),
    };
    const program = spawn('python3', [join(workers, 'either.py')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    t.teardown(() => program.kill('SIGKILL'));
    let complaints = '';
    program.stderr.on('data', (data) => (complaints += data));
    const functions = async () => (await server.call('member', `GET ${server.scoped}/functions`)).json.functions;
    await until(async () => (await functions()).length === 2, { within_ms: 60_000, what: `workflows: ${complaints}` });
    t.match(await functions(), [{ name: 'awaited', version: 'mine' }, { name: 'plain' }]);
    const document = { function: 'plain', input: 4, env: { WHO: 'ana' } };
    const { json } = await server.call('member', `POST ${server.scoped}/runs?wait=50s`, document);
    t.match(json, { status: 'succeeded', output: { who: 'ana 2', of: 'run_', input: 4 } }, JSON.stringify(json));
    const ended = once(program, 'exit');
    program.kill('SIGTERM');
    await ended;
    const served = async () => (await functions()).some(({ workers }: { workers: string[] }) => workers.length > 0);
    await until(async () => !(await served()), { within_ms: 60_000, what: 'the end of the agent' });
  });
});

/** A worker asks for no token of its own when it has a file with one. */
async function tokenFile(folder: string): Promise<string> {
  const file = join(folder, 'token');
  await writeFile(file, 'agent');
  return file;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
