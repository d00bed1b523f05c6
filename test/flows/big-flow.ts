/** Items of the fan-out on agents. */
export const ITEMS = 12;
const MANY = 1000;

const expr = (text: string) => ({ $expr: text });
const shell = (run: unknown) => ({ type: 'shell', config: { run } });
const set = (values: unknown) => ({ type: 'set', config: { values } });
const many = Array.from({ length: MANY }, (_, n) => n);

/**
 * A diamond with a node that fails and is tried again, one that takes too long and is absorbed, a wait, a branch that is
 * skipped, 1,000 items without an agent and some on agents, each of which leaves a line in the ledger.
 */
export const bigFlow = (ledger: string) => ({
  version: 'svc-test-flow/v1',
  nodes: [
    { id: 'first', ...shell('svc step first -- true') },
    { id: 'flaky', type: 'failing', config: { times: 1 }, needs: ['first'], retry: { attempts: 3, backoff_ms: 100 } },
    { id: 'slow', ...shell('sleep 60'), needs: ['first'], timeout_ms: 300, continue_on_error: true },
    { id: 'joined', ...set(expr('nodes.slow.error.code')), needs: ['flaky', 'slow'] },
    { id: 'go', type: 'wait_signal', config: { name: 'go' }, needs: ['joined'] },
    { id: 'choice', type: 'condition', config: { if: 'nodes.go.output.n > 5' }, needs: ['go'] },
    { id: 'never', ...set(1), needs: [{ node: 'choice', when: false }] },
    { id: 'all', ...set(expr('item * 2')), needs: ['choice'], fan_out: { items: many, concurrency: 50 } },
    {
      id: 'some',
      ...shell(expr(`"svc step work -- bash -c 'echo " + string(index) + " >> ${ledger}'"`)),
      needs: [{ node: 'choice', when: true }],
      fan_out: { items: many.slice(0, ITEMS), concurrency: 4 },
    },
    { id: 'pause', type: 'delay', config: { ms: 50 }, needs: ['all', 'some'] },
    { id: 'last', ...set('end'), needs: ['pause', 'never'], join: 'any' },
  ],
  output: {
    text: '[nodes.flaky.output, nodes.joined.output, nodes.never.status, size(nodes.all.output), nodes.all.output[999], size(nodes.some.output), nodes.last.output]',
    reads: ['flaky', 'joined', 'never', 'all', 'some', 'last'],
  },
});

export const EXPECTED = [2, 'flow_node_timeout', 'skipped', MANY, 1998, ITEMS, 'end'];
