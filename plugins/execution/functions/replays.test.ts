import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../../../test/kit/index.ts';
import { serving } from './testing/world.ts';

t.setTimeout(600_000);

/** `pass` differs in each pass of the run: what depends on it breaks the rule of replay. */
const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { all, secret, sleep, state, step, StepError, waitSignal, workflow } from 'svc/sdk';
const note = (line) => appendFileSync(process.env.LEDGER, line + '\\n');
export const long = workflow('long', async ({ count, bytes }) => {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const made = await step(i % 3 ? 'add' : 'add-' + i, () => (note('add ' + i), { i, text: 'x'.repeat(bytes) }), i % 5 ? {} : { retry: 2 });
    sum += made.i;
    if (i % 50 === 25) await state.set('sum', sum);
  }
  const failed = await step('fails', () => { throw new Error('no luck'); }).catch((error) => error instanceof StepError && error.reason);
  await waitSignal('go');
  const both = await all([step('left', () => 'l'), step('right', () => 'r')]);
  await sleep('10ms');
  return { sum, failed, both };
});
const passes = new Map();
const pass = (runId) => passes.set(runId, (passes.get(runId) ?? 0) + 1).get(runId);
const varying = (name, body) => workflow(name, async (_input, { runId }) => {
  const nth = pass(runId);
  await step('first', () => 1);
  await body(nth);
  await waitSignal('go');
});
varying('renames', (nth) => step('second-' + nth, () => 2));
varying('reorders', (nth) => (nth === 1 ? step('second', () => 2) : state.set('x', 1)));
export const shortens = workflow('shortens', async (_input, { runId }) => {
  const nth = pass(runId);
  await step('first', () => 1);
  if (nth > 1) return 'early';
  await step('second', () => 2);
  await waitSignal('go');
});
export const masks = workflow('masks', async () => {
  const keys = [];
  for (const name of ['plain', 'of ' + secret('TOKEN'), 'last']) keys.push(await step(name, ({ idempotencyKey }) => (note(name), idempotencyKey)));
  await waitSignal('go');
  return keys;
});
`;

t.test('a replay repeats its steps in the program, and the guard is as strict as before', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'replays-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'flows.mjs');
  writeFileSync(file, PROGRAM);
  const world = await serving(t, file, { env: { SVC_WORKER_KEEP: 'off' } });
  const woken = async (name: string, input: unknown, more: object = {}) => {
    const { run_id } = await world.submit(name, input, more);
    await until(async () => (await world.read(run_id)).substate?.kind === 'signal', { what: 'the wait' });
    await world.signal(run_id, 'go', null);
    return await world.ended(run_id);
  };
  await t.test('more than one part of the journal, with other calls in between', async (t) => {
    const { output } = await woken('long', { count: 400, bytes: 2000 });
    t.same(output, { sum: 79_800, failed: 'Error: no luck', both: ['l', 'r'] });
    const added = world.ledger().filter((line) => line.startsWith('add '));
    t.equal(added.length, 400, 'no step ran again');
    t.equal(new Set(added).size, 400);
  });
  await t.test('a call that differs is reported with both calls', async (t) => {
    for (const [name, recorded, present] of [
      ['renames', 'step second-1#0', 'step second-2#0'],
      ['reorders', 'step second#0', 'state set x#0'],
    ] as const) {
      const { error } = await woken(name, null);
      t.match(error, { code: 'determinism_violation' }, name);
      t.match(error?.message, new RegExp(`recorded: ${recorded}[^]*present: +${present}`));
    }
  });
  await t.test('a function that ends before it has repeated everything', async (t) => {
    const { error } = await woken('shortens', null);
    t.match(error, { code: 'determinism_violation', message: /step second#0/ });
  });
  await t.test('names with secrets', async (t) => {
    const { output } = await woken('masks', null, { env: { TOKEN: 'sesame' } });
    t.equal(new Set(output as string[]).size, 3);
    t.equal(world.ledger().filter((line) => line === 'last').length, 1);
  });
});
