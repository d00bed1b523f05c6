import t from 'tap';
import type { Cancel, Clock } from '../contracts/index.ts';
import { Company } from './company.ts';

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

const MOST = 128;
const COSTLY_MS = 0.5;

function companyOf(together: number, took_ms = COSTLY_MS) {
  const clock = new HandClock();
  const company = new Company(clock);
  company.committed(together, took_ms);
  return { clock, company };
}

t.test('nobody alone waits, nor one of two', async (t) => {
  t.equal(new Company(new HandClock()).gathered(1, MOST), undefined);
  t.equal(companyOf(1).company.gathered(1, MOST), undefined);
  t.equal(companyOf(2).company.gathered(1, MOST), undefined);
});

t.test('those who come first wait for most of the others', async (t) => {
  const { clock, company } = companyOf(8);
  let gathered = false;
  const wait = company.gathered(1, MOST)!.then(() => (gathered = true));
  for (let waiting = 2; waiting < 6; waiting += 1) company.came(waiting);
  await Promise.resolve();
  t.notOk(gathered);
  company.came(6);
  await wait;
  t.equal(clock.timers, 0, 'the timer is cancelled');
  company.came(7);
  t.equal(company.gathered(6, MOST), undefined, 'six of eight are enough from the start');
});

t.test('the wait ends by itself', async (t) => {
  const { clock, company } = companyOf(8);
  const wait = company.gathered(1, MOST);
  clock.pass(1);
  await wait;
  t.equal(clock.timers, 0);
});

t.test('a full batch does not wait, and a cheap one neither', async (t) => {
  t.equal(companyOf(300).company.gathered(MOST, MOST), undefined);
  t.equal(companyOf(8, 0.1).company.gathered(1, MOST), undefined);
});

t.test('who stays away is forgotten: at once after a pause, step by step without one', async (t) => {
  const paused = companyOf(8);
  paused.clock.pass(11);
  t.equal(paused.company.gathered(1, MOST), undefined);
  const { clock, company } = companyOf(8);
  let waits = 0;
  for (let wait = company.gathered(1, MOST); wait; wait = company.gathered(1, MOST)) {
    clock.pass(1);
    await wait;
    company.committed(1, COSTLY_MS);
    waits += 1;
  }
  t.ok(waits > 1 && waits < 20, `${waits} waits`);
});
