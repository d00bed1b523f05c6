// Checked, never run: what the types promise to users of the SDK, and what they refuse.
import {
  all,
  call,
  data,
  exec,
  type FromSchema,
  input,
  lock,
  type Recorded,
  secret,
  serve,
  type StandardSchema,
  state,
  step,
  submit,
  vars,
  waitSignal,
  type Workflow,
  workflow,
} from 'svc/sdk';
import { after, fail, replayRun, testRun } from 'svc/sdk/testing';

const same = <T>(value: T): T => value;
same<number>(await step('a', () => 1));
same<string>(await step('a', async () => 'x'));
same<string>(await step('a', ['echo', 'x'], { label: 'A', cwd: '/', env: { A: 'b' }, input: 'x', echo: true }));
same<{ at: string; list: (number | null)[] }>(await step('a', () => ({ at: new Date(), list: [1, null] })));
same<void>(await step('a', () => {}));
same<{ on: boolean } | undefined>(await state.getJson<{ on: boolean }>('a'));
same<string | undefined>(await state.get('a', { entity: 'b' }));
same<unknown>(await waitSignal('a'));
same<{ by: string }>(await waitSignal<{ by: string }>('a', { timeout: 500 }));
same<number>(await lock('a'));
same<boolean>(await lock('a', () => true, { timeout: '1h' }));
same<Buffer>((await exec('a', ['true'])).stdout);
same<Recorded<Map<string, number>>['size']>(1);

// @ts-expect-error A command is a list.
await step('a', 'echo x');
// @ts-expect-error A function has no folder.
await step('a', () => 1, { cwd: '/' });
// @ts-expect-error A date comes back as text.
same<Date>(await step('a', () => new Date()));
// @ts-expect-error A name is a text.
await waitSignal(5);

interface Order {
  sku: string;
  count: number;
}
/** `count` has a default, so that a submit may leave it out. */
declare const schema: StandardSchema<{ sku: string; count?: number }, Order>;
const order = workflow('order', { input: schema, retry: { attempts: 5, backoff: '1s' } }, async (input, context) => {
  same<number>(input.count);
  same<string>(context.runId);
  same<string | undefined>(context.env.REGION);
  same<string | undefined>(context.vars.REGION);
  // @ts-expect-error Variables are read-only.
  vars().REGION = 'eu';
  same<AbortSignal | undefined>(context.signal);
  return { at: new Date(), sku: input.sku };
});
same<Workflow<{ sku: string; count?: number }, { at: string; sku: string }>>(order);
const inferred = workflow(
  'inferred',
  {
    input: {
      type: 'object',
      required: ['sku', 'count'],
      properties: {
        sku: { type: 'string' },
        count: { type: 'integer', default: 1 },
        size: { enum: ['s', 'l'] },
        parts: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'number' } } } },
        gift: { type: 'boolean', default: false },
      },
    },
  },
  async (input) => {
    same<string>(input.sku);
    same<number>(input.count);
    same<'s' | 'l' | undefined>(input.size);
    same<number | undefined>(input.parts?.[0]?.id);
    // @ts-expect-error The schema has no such member.
    same<unknown>(input.color);
    return input.gift;
  },
);
same<boolean>(await call(inferred, { sku: 'lamp' }));
// @ts-expect-error A count is a number.
await call(inferred, { sku: 'lamp', count: '1' });
// @ts-expect-error The sku is missing.
await call(inferred, { count: 1 });
const declared = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } as const;
same<string>(data<FromSchema<typeof declared>>().sku);
same<string | undefined>(input<{ sku: string }>().input?.sku);
const plain = workflow('plain', async (input: Order) => input.count);
const described = workflow('described', { input: { type: 'object' }, versions: 'pinned' }, (input: Order) => input.sku);
const nothing = workflow('nothing', async () => {});

const handle = await submit(order, { sku: 'a' }, { idempotencyKey: 'k', tags: ['a'], subject: 's' });
same<{ at: string; sku: string }>(await handle.result({ timeout: '1h' }));
same<'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'>(await handle.status());
await handle.signal('approved', { by: 'ana' });
await handle.cancel('enough');
same<number>(await (await submit(plain, { sku: 'a', count: 1 })).result());
same<void>(await (await submit(nothing)).result());
same<string>(await call(described, { sku: 'a', count: 1 }));
same<unknown>(await call('elsewhere', { any: 'thing' }));
same<{ id: string }>(await call<{ id: string }>('elsewhere'));
same<[number, string]>(await all([call(plain, { sku: 'a', count: 1 }), step('a', ['echo'])]));
same<string>(secret('KEY'));
(await serve({ slots: 10 }))?.close();

// @ts-expect-error The input lacks the sku.
await submit(order, {});
// @ts-expect-error The input is needed.
await submit(order);
// @ts-expect-error The count is a number.
await call(plain, { sku: 'a', count: '1' });
// @ts-expect-error The output has no such member.
same<unknown>((await handle.result()).price);
// @ts-expect-error A workflow has no such option.
workflow('misspelt', { version: 'pinned', versoins: 'pinned' }, async () => {});
// @ts-expect-error The function takes what the schema makes.
workflow('other', { input: schema }, async (input: { sku: number }) => input.sku);
// @ts-expect-error There are two ways.
workflow('other', { versions: 'newest' }, async () => {});

const run = await testRun(
  order,
  { sku: 'a' },
  {
    signals: { approved: after('3d', { by: 'ana' }), go: [1, null] },
    steps: { charge: fail('declined', { nonRetryable: true }), 'ship#1': ({ attempt }) => attempt === 2, pack: 'a' },
    calls: { price: (input: { sku: string }) => input.sku },
  },
);
same<'succeeded' | 'failed' | 'waiting'>(run.status);
same<{ at: string; sku: string } | undefined>(run.output);
same<boolean>((await replayRun(order, run.journal, { input: { sku: 'a' } })).ok);
await testRun(nothing);

// @ts-expect-error The input lacks the sku.
await testRun(order, {});
// @ts-expect-error There is no such option.
await testRun(order, { sku: 'a' }, { signal: {} });
// @ts-expect-error The output has no such member.
same<unknown>(run.output?.price);
