import t from 'tap';
import type { Claimed } from '../contract.ts';
import { createJobEnvironments } from './environments.ts';

const claimed = (trusted: boolean) =>
  ({
    ...{ org_id: 'org_a', project_id: 'prj_a', run_id: 'run_1', activity_id: 'act_1' },
    ...{ executor: 'script', spec: {}, trusted },
  }) as unknown as Claimed;

t.test('an agent gets the values that a run inherited, unless the run is untrusted', async (t) => {
  const environments = createJobEnvironments({
    given: [{ name: 'own', layer: 'below', provide: async () => [{ name: 'A', value: 'own-value', secret: true }] }],
    facts: async () => ({ subject: null, generation: 0, env: {}, credentials: {} }),
    masks: { remember: async (_run, values) => [...values, 'inherited-value'] },
  });
  t.same((await environments.environment(claimed(true))).masks, ['own-value', 'inherited-value']);
  t.same((await environments.environment(claimed(false))).masks, ['own-value']);
});
