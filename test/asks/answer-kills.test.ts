import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

/** The only verb of the script that the server performs is `svc answer`. */
const KILLS = {
  'before it commits the answer': 'runs.store.perform.before',
  'between the commit of the answer and its reply': 'runs.store.perform.after',
};

const SOURCE = `
ask=$(svc wait-ask price)
svc answer "$ask" '{"price":12}'
`;

const ENDED = ['succeeded', 'failed', 'cancelled'];

/** Kills the server, starts another one, and expects that the caller gets the answer, which is recorded once. */
async function killed(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  const { run_id } = await project.ask('POST', 'runs', { filename: 'a.sh', source: SOURCE });
  const { ask_id } = await project.ask('POST', `runs/${run_id}/asks`, { name: 'price', timeout: '1h' });
  const waiting = project.ask('GET', `runs/${run_id}/asks/${ask_id}?wait=10m`).catch((error: Error) => error);
  await sendUntilKilled(t, target, 0, async () => undefined);
  t.ok((await waiting) instanceof Error, 'the caller loses its connection');
  const ask = await project.ask('GET', `runs/${run_id}/asks/${ask_id}?wait=2m`);
  t.match(ask, { state: 'answered', answer: { price: 12 } });
  const run = await until('the run to end', 120_000, async () => {
    const found = await project.ask('GET', `runs/${run_id}`);
    return ENDED.includes(found.status) ? found : undefined;
  });
  t.equal(run.status, 'succeeded');
  const { steps } = await project.ask('GET', `runs/${run_id}/steps`);
  t.match(steps, [{ kind: 'wait-ask' }, { kind: 'answer', stdout: 'answered\n' }]);
  t.equal(steps.length, 2, 'the answer is recorded once');
}

for (const [when, failpoint] of Object.entries(KILLS))
  testKilledServer(`the server is killed ${when}`, failpoint, killed);
