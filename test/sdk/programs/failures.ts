import { exec, idempotencyKey, sleep, state, step, StepError, SvcError } from 'svc/sdk';

const MIB = 1024 * 1024;

/** Prints the error of a call: its kind, code, exit code and text. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    console.log(JSON.stringify(await work()));
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const exit = error instanceof StepError ? error.exitCode : null;
    console.log(JSON.stringify([error.code, exit, error.message]));
  }
}

const fail = (error: unknown) => () => {
  throw error;
};

console.log('pass');
await attempt(() => step('plain', fail(new Error('it broke'))));
await attempt(() => step('coded', fail(Object.assign(new Error('seven'), { exitCode: 7 }))));
await attempt(() => step('unclean', fail(new Error('nul \0 here'))));
await attempt(() => step('no-json', () => ({ toJSON: fail(new TypeError('no JSON')) })));
await attempt(() => step('nested', async () => await state.get('x')));
await attempt(() => step('exact', () => 'x'.repeat(2 * MIB - 1)).then((text) => text.length));
await attempt(() => step('over', () => 'x'.repeat(2 * MIB)));
await attempt(() => step('command', ['sh', '-c', 'echo some; exit 9']));
await attempt(() => step('unknown', ['no-such-program']));
await attempt(() => step('unreachable', ['/no/such/program']));
await attempt(() => step('forbidden', ['/etc/passwd']));
await attempt(() => step('signalled', ['sh', '-c', 'kill -TERM $$']));
await attempt(() => step('flood', ['head', '-c', String(2 * MIB + 10), '/dev/zero']));
await attempt(() => step('brim', ['head', '-c', String(2 * MIB), '/dev/zero']).then((text) => text.length));
await attempt(() => exec('bytes', ['printf', 'a\\0\\377b']).then(({ stdout, text }) => [stdout.toString('hex'), text]));
await attempt(() => step('', () => 1));
await attempt(() => step('x#1', () => 1));
await attempt(() => step('half \ud800', () => 1));
await attempt(() => step('two\nlines', () => 1));
await attempt(() => sleep('soon'));
await attempt(async () => idempotencyKey());
await attempt(async () => (await state.get('absent')) ?? null);
await attempt(() => state.get('refused'));
await attempt(() => state.list({ entity: 'refused' }));
await sleep('1s');
