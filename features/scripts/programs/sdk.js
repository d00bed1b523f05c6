const { appendFileSync } = require('node:fs');
const { annotate, output, sleep, state, step, waitSignal } = require('svc/sdk');

const ran = () => appendFileSync('{folder}/commands', 'ran\n');

async function build() {
  ran();
  return 'built';
}

function fail() {
  ran();
  throw Object.assign(new Error('it breaks'), { exitCode: 7 });
}

async function main() {
  console.log('a pass begins');
  const built = await step('build', build, { label: 'Build it' });
  for (const n of [1, 2]) await step('round', ['sh', '-c', `echo ran >> {folder}/commands; echo 'round ${n} of ${built}'`]);
  const code = await step('fragile', fail).catch((error) => error.exitCode);
  await sleep(50);
  const approval = JSON.stringify(await waitSignal('approval'));
  await state.set('approval', approval);
  await step('use', ['printf', '%s after %s', approval, String(code)]);
  await output.set({ built, code });
  await annotate('# Built');
}

void main();
