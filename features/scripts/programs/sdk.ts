import { appendFileSync } from 'node:fs';
import { annotate, output, sleep, state, step, type StepError, waitSignal } from 'svc/sdk';

const ran = () => appendFileSync('{folder}/commands', 'ran\n');
console.log('a pass begins');
const built: string = await step(
  'build',
  () => {
    ran();
    return 'built';
  },
  { label: 'Build it' },
);
for (const n of [1, 2] as const)
  await step('round', async () => {
    ran();
    return `round ${n} of ${built}`;
  });
let code = 0;
try {
  await step('fragile', () => {
    ran();
    throw Object.assign(new Error('it breaks'), { exitCode: 7 });
  });
} catch (error) {
  code = (error as StepError).exitCode;
}
await sleep('50ms');
const approval = JSON.stringify(await waitSignal('approval'));
await state.set('approval', approval);
await step('use', ['printf', '%s after %s', approval, String(code)]);
await output.set({ built, code });
await annotate('# Built');
