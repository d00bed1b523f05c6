// Rolls a version out region by region: each region is a run of its own, which lives on when this one ends.
import { output, sleep, spawn, state, step } from 'svc/sdk';

const regions = ['eu', 'us', 'ap'];
const rollout = await step('name', ({ idempotencyKey }) => `rollout-${idempotencyKey.slice(0, 12)}`);

const child = (region) => `
svc step install -- sh -c 'echo ${region} >> "${process.env.FLEET}"'
svc state set ${region} installed --entity ${rollout}
`;
const runs = {};
for (const region of regions)
  runs[region] = await spawn({ source: child(region) }, { as: 'script', tags: [`region:${region}`] });

// Runs that were spawned do not report; what they have done is in the project's state.
let done = [];
while (done.length < regions.length) {
  await sleep('100ms');
  done = await state.list({ entity: rollout });
}
await output.set({ done, runs: Object.keys(runs).length });
