import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  all,
  call,
  lock,
  NonRetryableError,
  output,
  race,
  secret,
  serve,
  sleep,
  state,
  step,
  waitSignal,
  workflow,
} from 'svc/sdk';

/** Where steps write that they have run. */
const ledger = process.env.LEDGER ?? '/dev/null';
const note = (line: string) => appendFileSync(ledger, `${line}\n`);

export const order = workflow(
  'order',
  { input: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
  async (input: { sku: string }) => {
    console.log(`begin ${input.sku}`);
    const id = await step('reserve', ({ idempotencyKey }) => {
      note(`reserve ${input.sku} ${idempotencyKey}`);
      return `r-${input.sku}`;
    });
    await sleep('10ms');
    const { by } = await waitSignal<{ by: string }>('approved');
    console.error(`approved by ${by}`);
    return await step('charge', () => ({ id, by }));
  },
);

/** Each run yields in many places; what it sees there must be its own. */
export const mix = workflow('mix', async (n: number) => {
  const seen: unknown[] = [];
  for (let i = 0; i < 5; i++) {
    seen.push(await step('own', async () => (await delay(n % 3), n)));
    await state.set('n', n);
    seen.push(await state.getJson('n'));
    console.log(`line of ${n}`);
  }
  const both = await all([step('left', () => n), step('right', () => -n)]);
  return { seen, both };
});

/** Each of its functions needs the others to end. */
export const meet = workflow('meet', { retry: 2 }, async (names: string[]) => {
  const arrived = new Set<string>();
  const all_here = Promise.withResolvers<void>();
  const arrive = (name: string) => async () => {
    note(`meet ${name}`);
    arrived.add(name);
    if (arrived.size === names.length) all_here.resolve();
    await all_here.promise;
    return name;
  };
  const met = await all(names.map((name) => step(name, arrive(name))));
  await sleep('10ms');
  return met;
});

export const names = workflow('names-a-secret', async () => {
  const key = ({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey;
  return await all([step('first', key), step(`of ${secret('TOKEN')}`, key), step('last', key)]);
});

/** The first function never ends by itself. */
export const contest = workflow('contest', async () => {
  const hold = ({ signal }: { signal?: AbortSignal }) =>
    new Promise<string>(() => signal!.addEventListener('abort', () => note('contest aborted')));
  const winner = await race([step('hold', hold), step('quick', () => 'quick')]);
  const { by } = await waitSignal<{ by: string }>('approved');
  return { winner, by };
});

export const double = workflow('double', async (n: number) => n * 2);
export const parent = workflow('parent', async (n: number) => ({ twice: await call(double, n) }));

export const fails = workflow('fails', async () => {
  await step('fine', () => 1);
  throw new Error('no luck', { cause: new Error('the deep cause') });
});

export const floats = workflow('floats', async () => {
  await step('fine', () => 1);
  void Promise.reject(new Error('left floating'));
  await step('late', () => delay(60_000));
});

export const throwsLater = workflow('throws-later', async () => {
  await step('fine', () => {
    setTimeout(() => {
      throw new Error('thrown in a timer');
    }, 1);
  });
  await step('late', () => delay(60_000));
});

export const gives = workflow('gives-up', { retry: { attempts: 5, backoff: '1h' } }, async () => {
  await step('once', () => {
    throw new NonRetryableError('for good');
  });
});

const hold = async ({ name }: { name: string }) => {
  await step('before', () => note(`before ${name}`));
  await step('gate', async ({ idempotencyKey }) => {
    note(`gate ${name} ${idempotencyKey} ${process.pid}`);
    while (process.env.HOLD !== undefined && !existsSync(process.env.HOLD)) await delay(5);
  });
  return 'through';
};
export const held = workflow('held', hold);
export const alone = workflow('held-alone', { concurrency: 1 }, hold);

export const slow = workflow('slow', async (ms: number) => {
  await step('slow', () => delay(ms));
  return 'done';
});

export const exits = workflow('exits', async () => await step('exit', () => process.exit(3)));

export const spins = workflow('spins', async (ms: number) => {
  await step('spin', () => {
    note(`spinning ${process.pid}`);
    const until = performance.now() + ms;
    while (performance.now() < until);
  });
  return 'done';
});

export const reads = workflow('reads-secret', async () => {
  const value = secret('TOKEN');
  return { length: value.length, in_environment: process.env.TOKEN === undefined ? 'no' : 'yes' };
});

export const stages = workflow('stages', async () => {
  await output.set({ kept: true });
});

export const one = workflow('one-at-a-time', { concurrency: 1 }, async (n: number) => {
  await step('in', () => note(`in ${n}`));
  await step('out', async () => (await delay(5), note(`out ${n}`)));
});

export const locked = workflow('locked', async (n: number) => await lock('group', () => n));

await serve();
