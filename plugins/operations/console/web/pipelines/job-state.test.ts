import t from 'tap';
import type { NodeRecord } from '../../../../../cli/generated/api.ts';
import { jobsOf } from './document.ts';
import { byNode, stateOf } from './job-state.ts';

const [build, ship, made] = jobsOf(`jobs:
  build: { steps: [{ run: make }] }
  ship: { needs: build, if: "vars.go", concurrency: prod, steps: [{ run: ship }] }
  made: { needs: build, workflow: { from_repo: { path: a.sh, repo: acme/site } } }
`);

const node = (id: string, state: NodeRecord['state'], more: Partial<NodeRecord> = {}): NodeRecord => ({
  node: id,
  type: 'pipeline_job',
  state,
  attempt: 1,
  ...more,
});
const of = (job: typeof build, ...nodes: NodeRecord[]) => {
  const { state, why } = stateOf(job!, byNode(nodes));
  return [state, why];
};

t.test('what a job does, and why it does not', async (t) => {
  t.same(of(build), ['waiting', undefined], 'not planned yet');
  t.same(of(build, node('build', 'running')), ['running', undefined]);
  t.same(of(build, node('build', 'running', { activity: { activity_id: 'a', state: 'queued', requires: ['gpu'] } })), [
    'running',
    'It is waiting for an agent with gpu.',
  ]);
  t.same(of(build, node('build', 'failed', { error: { code: 'step_failed', message: 'exit code 3' } })), [
    'failed',
    'exit code 3',
  ]);
  t.same(of(ship, node('ship', 'waiting'), node('build', 'running')), ['waiting', 'It needs build.']);
  const lease = node('svc-lease-ship', 'running', { substate: { kind: 'awaiting_lease', name: 'prod', since: 'x' } });
  t.same(of(ship, node('ship', 'waiting'), lease, node('build', 'succeeded')), [
    'waiting',
    'It is waiting for the lock prod.',
  ]);
  t.same(of(ship, node('ship', 'skipped'), node('build', 'succeeded')), [
    'skipped',
    'Its condition was not true: vars.go',
  ]);
  t.same(of(ship, node('ship', 'skipped'), node('build', 'failed')), [
    'skipped',
    'It needs build, which did not succeed.',
  ]);
  t.same(of(made, node('svc-read-made', 'failed', { error: { code: 'x', message: 'no such file' } })), [
    'failed',
    'no such file',
  ]);
  t.same(of(build, node('build', 'backoff')), ['backoff', 'Its next attempt starts after a pause.']);
  t.same(of(build, node('build', 'succeeded', { item: 0 })), ['waiting', undefined], 'an item is not the job');
});
