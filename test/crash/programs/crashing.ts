import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { all, call, emit, lock, race, sleep, step, waitEvent, waitSignal, workflow } from 'svc/sdk';
import type { CrashInput, PlannedCall } from '../function.ts';

interface Attempt {
  idempotencyKey: string;
  attempt?: number;
}

/** Notes a side effect where the suite looks for it, once for each time that it happens. */
const effect =
  (name: string, ledger: string) =>
  ({ idempotencyKey }: { idempotencyKey: string }) => {
    appendFileSync(ledger, `${name} ${idempotencyKey}\n`);
    return `did ${name}`;
  };

function expectSame(found: unknown, wanted: unknown): void {
  if (found !== wanted)
    throw new Error(`the call returned ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** The side effect of a call, in a run of its own. */
export const note = workflow('crash-note', async ({ name, ledger }: { name: string; ledger: string }) => {
  return await step(name, effect(name, ledger));
});

const makers: Record<PlannedCall['kind'], (name: string, input: CrashInput, n: number) => Promise<void>> = {
  step: async (name, { ledger }) => expectSame(await step(name, effect(name, ledger)), `did ${name}`),
  sleep: () => sleep('40ms'),
  signal: async (name, _, n) => expectSame((await waitSignal<{ n: number }>(name)).n, n),
  event: async (name, _, n) => expectSame(((await waitEvent(name)).payload as { n: number }).n, n),
  lock: async (name, { ledger }) => expectSame(await lock('guarded', effect(name, ledger)), `did ${name}`),
  emit: async (_name, _, n) => void (await emit('crash.tick', { payload: { n } })),
  call: async (name, { ledger }) => expectSame(await call(note, { name, ledger }), `did ${name}`),
  // Which of the two ends first varies; every pass must find the winner that the first record of it has.
  race: async (_name, { ledger }, n) => {
    const enter = (side: string) => async (attempt: Attempt) => {
      await setTimeout(Math.random() * 20);
      return effect(`${side}-${n}`, ledger)(attempt);
    };
    const winner = await race([step(`left-${n}`, enter('left')), step(`right-${n}`, enter('right'))]);
    expectSame(await step(`won-${n}`, () => winner), winner);
  },
  flaky: async (name, { ledger }) => {
    const third = (attempt: Attempt) => {
      effect(name, ledger)(attempt);
      if (attempt.attempt !== 3) throw new Error('not yet');
    };
    await step(name, third, { retry: { attempts: 3, backoff: '5ms' } });
  },
};

/** Makes the calls of its input. Steps that follow each other are made at the same time. */
export const crashing = workflow('crash', async (input: CrashInput) => {
  for (const group of input.groups) await all(group.map(({ kind, name, n }) => makers[kind](name, input, n)));
  return { calls: input.groups.length };
});
