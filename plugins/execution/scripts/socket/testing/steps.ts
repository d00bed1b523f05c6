import type { Clock } from '../../../../../kernel/contracts/index.ts';
import { idempotencyKey } from '../../../replay/contract.ts';
import type { Client, Message } from './client.ts';

/** Time that passes when a test says so. */
export class TestClock implements Clock {
  #now = 1000;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delay_ms: number, run: () => void): () => void {
    const timer = { at: this.#now + delay_ms, run };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  get waiting(): number {
    return this.#timers.length;
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { run } of due) run();
  }
}

export const key = (name: string, ordinal: number) =>
  idempotencyKey({ run_id: 'run_1', job: 'act_1' }, { kind: 'step', name, ordinal });
export const begin = (id: number, name: string, more: Message = {}): Message => ({
  id,
  op: 'begin',
  kind: 'step',
  name,
  ...more,
});
export const end = (id: number, stdout = 'b2s='): Message => ({ id, op: 'end', exit: 0, stdout });

/** Takes one step, so that the client has a lease. */
export async function step(client: Client, name: string, id = 1): Promise<Message> {
  await client.ask(begin(id, name));
  return await client.ask(end(id + 1));
}

/** Turns of the event loop, in which this process reads and writes its sockets. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const lease = ({ ahead }: Message) => (ahead as { ms: number } | undefined)?.ms ?? 0;
