import { spawnSync } from 'node:child_process';
import {
  annotate,
  exec,
  idempotencyKey,
  input,
  output,
  sleep,
  state,
  step,
  SvcError,
  verb,
  WaitTimeoutError,
  waitSignal,
} from 'svc/sdk';

console.log('pass');
const of = (names: string[]) => names.filter((name) => name.startsWith('SVC_')).sort();
const before = of(Object.keys(process.env)).length;
const seen = await step('environment', ({ site, idempotencyKey: key }) => {
  const child = spawnSync('svc', ['state', 'get', 'x'], { encoding: 'utf8' });
  return {
    site,
    own: of(Object.keys(process.env)),
    keys: key === idempotencyKey() && key === process.env.SVC_IDEMPOTENCY_KEY && key.length,
    refused: child.stderr.includes('SVC_AGENT_SOCKET') && child.status,
  };
});
console.log(JSON.stringify(seen), before === of(Object.keys(process.env)).length);
console.log(
  await step('command', ['sh', '-c', 'env | grep ^SVC_ | cut -c 1-23; pwd; echo $MORE; cat'], {
    label: 'A command',
    cwd: '/usr',
    env: { MORE: 'more', SVC_FORGED: 'x' },
    input: 'given',
  }),
);
await exec('echoed', ['echo', 'shown once'], { echo: true });
console.log(JSON.stringify(await waitSignal('go')));
try {
  await waitSignal('late', { timeout: '2h' });
} catch (error) {
  console.log(error instanceof WaitTimeoutError, String(error));
}
await state.set('text', '5');
await state.set('json', { list: [1, 'ü'] });
await state.set('shared', 'x', { entity: 'repo' });
console.log(await state.get('text'), await state.get('json'), JSON.stringify(await state.getJson('json')));
console.log(JSON.stringify([(await state.get('none')) ?? null, await state.get('shared', { entity: 'repo' })]));
await state.delete('text');
console.log(JSON.stringify(await state.list()));
try {
  await sleep('2h');
  console.log('slept');
} finally {
  console.log('finally');
}
await output.set({ text: 'x', number: 5, list: [true, null], 'odd:': 1 });
await annotate('# A note');
const given = input();
console.log(given.type, JSON.stringify(given.input));
try {
  await verb('no-such-verb', ['x']);
} catch (error) {
  console.log(error instanceof SvcError && error.code, String(error).includes('no-such-verb'));
}
const usage = await verb('sleep', ['--help']);
console.log(usage.exitCode, usage.text.split('\n')[0]);
