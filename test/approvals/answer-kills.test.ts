import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

const KILLS = {
  'before it commits the answer': 'runs.store.sendSignal.before',
  'between the commit of the answer and its reply': 'runs.store.sendSignal.after',
};

const SOURCE = `
answer=$(svc wait-signal ship --message 'Ship?' --form 'amount: number')
svc step shipped -- printf '%s' "$answer"
`;

const questionsOf = async (project: Project, run_id: string): Promise<unknown[]> =>
  (await project.ask('GET', `runs/${run_id}/questions`)).questions;

/** The answer is given with a link, and given again, as by a person whose page did not load. */
async function killed(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  const { run_id } = await project.ask('POST', 'runs', { filename: 'a.sh', source: SOURCE });
  await until('the question', 120_000, async () => (await questionsOf(project, run_id))[0]);
  const { url } = await project.ask('POST', `runs/${run_id}/signals/ship/links`, { for: 'zoe' });
  const answer = (amount: number) =>
    fetch(`${target.base_url}${new URL(url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ decision: 'approve', 'f.amount': String(amount) }).toString(),
    });
  await sendUntilKilled(t, target, 1, () => answer(5));
  const recorded = (await questionsOf(project, run_id)).length === 0;
  t.equal((await answer(5)).status, recorded ? 410 : 200, 'the link answers once');
  t.equal((await answer(6)).status, 410);
  const run = await until('the run to end', 120_000, async () => {
    const found = await project.ask('GET', `runs/${run_id}`);
    return found.finished_at === undefined ? undefined : found;
  });
  t.equal(run.status, 'succeeded');
  const { steps } = await project.ask('GET', `runs/${run_id}/steps`);
  t.match(steps, [{ kind: 'wait-signal' }, { kind: 'step', stdout: '{"amount":5}' }]);
  t.equal(steps.length, 2);
  const { signals } = await project.ask('GET', `runs/${run_id}/signals`);
  t.equal(signals.length, 1, 'the answer is recorded once');
}

for (const [when, failpoint] of Object.entries(KILLS))
  testKilledServer(`the server is killed ${when} to a question`, failpoint, killed);
