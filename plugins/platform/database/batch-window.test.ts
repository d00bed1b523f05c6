import t from 'tap';
import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import { BatchWindow } from './batch-window.ts';

/** A clock that stands still until it is moved. */
class HandClock implements Clock {
  #now = 0;
  #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delay_ms: number, run: () => void): Cancel {
    this.#timers.set(run, this.#now + delay_ms);
    return () => void this.#timers.delete(run);
  }

  get timers(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const [run, due] of this.#timers) if (due <= this.#now && this.#timers.delete(run)) run();
  }
}

const LIMIT = 128;
const COSTLY_MS = 0.5;

function windowOf(together: number, took_ms = COSTLY_MS) {
  const clock = new HandClock();
  const window = new BatchWindow(clock);
  window.recordBatch(together, took_ms);
  return { clock, window };
}

t.test('nobody alone waits, nor one of two', async (t) => {
  t.equal(new BatchWindow(new HandClock()).waitForCallers(1, LIMIT), undefined);
  t.equal(windowOf(1).window.waitForCallers(1, LIMIT), undefined);
  t.equal(windowOf(2).window.waitForCallers(1, LIMIT), undefined);
});

t.test('those who come first wait for most of the others', async (t) => {
  const { clock, window } = windowOf(8);
  let gathered = false;
  const wait = window.waitForCallers(1, LIMIT)!.then(() => (gathered = true));
  for (let waiting = 2; waiting < 6; waiting += 1) window.onArrival(waiting);
  await Promise.resolve();
  t.notOk(gathered);
  window.onArrival(6);
  await wait;
  t.equal(clock.timers, 0, 'the timer is cancelled');
  window.onArrival(7);
  t.equal(window.waitForCallers(6, LIMIT), undefined, 'six of eight are enough from the start');
});

t.test('the wait ends by itself', async (t) => {
  const { clock, window } = windowOf(8);
  const wait = window.waitForCallers(1, LIMIT);
  clock.pass(1);
  await wait;
  t.equal(clock.timers, 0);
});

t.test('a full batch does not wait, and a cheap one neither', async (t) => {
  t.equal(windowOf(300).window.waitForCallers(LIMIT, LIMIT), undefined);
  t.equal(windowOf(8, 0.1).window.waitForCallers(1, LIMIT), undefined);
});

t.test('who stays away is forgotten: at once after a pause, step by step without one', async (t) => {
  const paused = windowOf(8);
  paused.clock.pass(11);
  t.equal(paused.window.waitForCallers(1, LIMIT), undefined);
  const { clock, window } = windowOf(8);
  let waits = 0;
  for (let wait = window.waitForCallers(1, LIMIT); wait; wait = window.waitForCallers(1, LIMIT)) {
    clock.pass(1);
    await wait;
    window.recordBatch(1, COSTLY_MS);
    waits += 1;
  }
  t.ok(waits > 1 && waits < 20, `${waits} waits`);
});
