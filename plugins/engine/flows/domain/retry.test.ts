import t from 'tap';
import { type PlannedNode, toPlannedNodes } from './plan.ts';
import { isRetryable, retryPause } from './retry.ts';

const DAY = 24 * 3_600_000;
const failed = (more: object = {}) => ({ status: 'failed', code: 'request_failed', message: '', ...more }) as const;

function nodeWith(retry?: PlannedNode['retry']): PlannedNode {
  return toPlannedNodes({ language: 'test', nodes: [{ id: 'n', type: 'set', retry }] })[0]!;
}

t.test('the longer of two pauses counts, and nobody can ask for more than a day', async (t) => {
  const patient = nodeWith({ attempts: 3, backoff_ms: 5000 });
  t.equal(retryPause(patient, failed()), 5000);
  t.equal(retryPause(patient, failed({ retry_after_ms: 10 })), 5000);
  t.equal(retryPause(patient, failed({ retry_after_ms: 60_000 })), 60_000);
  t.equal(retryPause(patient, failed({ retry_after_ms: 365 * DAY })), DAY);
  t.equal(retryPause(nodeWith({ attempts: 3, backoff_ms: 2 * DAY }), failed({ retry_after_ms: 365 * DAY })), 2 * DAY);
  t.equal(retryPause(nodeWith(), failed({ retry_after_ms: 7 })), 7);
});

t.test('what another attempt would repeat is not tried again', async (t) => {
  t.ok(isRetryable(failed()));
  t.notOk(isRetryable(failed({ final: true })));
  t.notOk(isRetryable(failed({ code: 'flow_expression_failed' })));
});
