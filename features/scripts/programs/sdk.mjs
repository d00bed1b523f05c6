import { appendFileSync } from 'node:fs';
import { annotate, exec, output, sleep, state, step, waitSignal } from 'svc/sdk';

const ran = () => appendFileSync('{folder}/commands', 'ran\n');
console.log('a pass begins');
const build = () => (ran(), 'built');
const built = await step('build', build, { label: 'Build it' });
for (const n of [1, 2]) await step('round', () => (ran(), `round ${n} of ${built}`));
const { exitCode: code } = await exec('fragile', ['sh', '-c', 'echo ran >> {folder}/commands; exit 7']);
await sleep('50ms');
const approval = JSON.stringify(await waitSignal('approval'));
await state.set('approval', approval);
await step('use', ['printf', '%s after %s', approval, String(code)]);
await output.set({ built, code });
await annotate('# Built');
