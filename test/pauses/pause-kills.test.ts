import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

const RUNS = 3;
const SOURCE = `
svc sleep 2s
go=$(svc wait-signal go)
svc step went -- echo "$go"
`;
/** The server dies when it has committed the second run and has not said so. */
const AT_SUBMIT = 'runs.store.createRun.after:2';

interface Shown {
  run_id: string;
  status: string;
  paused?: { at: string };
  substate?: { kind: string; name: string };
}

interface Step {
  site: string;
  status: string;
  stdout?: string;
}

const soon = <T>(what: string, read: () => Promise<T | undefined>) => until(what, 120_000, read);

/** Pauses and resumes are repeated, as by somebody who does not know what has become of them. */
async function killed(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  const list = (filter: string) => project.all<Shown>(`runs?${filter}&`, 'runs');
  const steps = async (run_id: string) => (await project.ask('GET', `runs/${run_id}/steps`)).steps as Step[];
  const submit = (n: number) =>
    project.ask('POST', 'runs', { filename: 'a.sh', source: SOURCE, paused: true, idempotency_key: `kill-${n}` });

  await sendUntilKilled(t, target, RUNS, submit);
  for (let n = 0; n < RUNS; n++) await submit(n);
  const submitted = await list('paused=true');
  t.equal(submitted.length, RUNS, 'each run is submitted once, and paused');
  t.ok(submitted.every(({ status }) => status === 'queued'));
  const ids = submitted.map(({ run_id }) => run_id);

  await die(t, target, 'runs.resumed:2', (n) => project.ask('POST', `runs/${ids[n]}/resume`));
  t.equal((await list('paused=true')).length, RUNS - 1, 'the resume of which nothing is committed did not happen');
  for (const run_id of ids) await project.ask('POST', `runs/${run_id}/resume`);
  const waits = await soon('every run to wait', async () => {
    const found = await list('status=waiting');
    return found.length === RUNS ? found : undefined;
  });
  t.same(
    waits.filter(({ paused }) => paused),
    [],
  );

  await die(t, target, 'runs.paused:2', (n) => project.ask('POST', `runs/${ids[n]}/pause`, { reason: 'first' }));
  const [first, ...none] = await list('paused=true');
  t.same(none, [], 'the pause of which nothing is committed did not happen');
  for (const run_id of ids) await project.ask('POST', `runs/${run_id}/pause`, { reason: 'second' });
  const paused = await list('paused=true');
  t.equal(paused.length, RUNS);
  t.same(paused.find(({ run_id }) => run_id === first!.run_id)!.paused, first!.paused, 'the first pause is kept');
  const fired = await soon('the timers to fire', async () => {
    const all = await Promise.all(ids.map(steps));
    return all.every(([sleep]) => sleep?.status === 'recorded') ? all : undefined;
  });
  t.ok(fired.every((found) => !found.some(({ site }) => site === 'went#0')));
  for (const run_id of ids) await project.ask('POST', `runs/${run_id}/signals/go`, 7);
  t.equal((await list('paused=true')).length, RUNS, 'timers and signals end no pause');

  await die(t, target, 'runs.store.resumeRun.after:2', (n) => project.ask('POST', `runs/${ids[n]}/resume`));
  for (const { run_id } of await list('paused=true')) await project.ask('POST', `runs/${run_id}/resume`);
  await soon('every run to succeed', async () => ((await list('status=succeeded')).length === RUNS ? true : undefined));
  for (const run_id of ids)
    t.match(
      (await steps(run_id)).map(({ site, stdout }) => [site, stdout]),
      [['sleep#0'], ['go#0'], ['went#0', '7\n']],
      'each call is recorded once',
    );
}

/** Starts the server anew with a failpoint, and sends requests until it has killed itself. */
async function die(t: Test, target: Target, point: string, send: (n: number) => Promise<unknown>): Promise<void> {
  const own = target.own!;
  await own.server.kill('SIGTERM');
  own.env.SVC_FAILPOINTS = point;
  own.server = (await own.startServer()).service;
  await sendUntilKilled(t, target, RUNS, send);
}

testKilledServer(
  'a server is killed in pauses, resumes and submits, and no run is lost or started twice',
  AT_SUBMIT,
  killed,
);
