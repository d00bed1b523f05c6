import t from 'tap';
import { RecordingLog, VirtualClock } from '../../../../test/kit/index.ts';
import { type ProcessKind, type WaitingProcess, WarmPool } from './warm-pool.ts';

const IDLE_MS = 5 * 60_000;
const never = new Promise<never>(() => undefined);

/** A process that waits at once, until it is thrown away. */
class Stub implements WaitingProcess {
  readonly ready: Promise<boolean>;
  readonly ended: Promise<void>;
  readonly noise = '';
  is_usable = true;
  discarded = 0;
  end = (): void => {};

  constructor(ready = true) {
    this.ready = Promise.resolve(ready);
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async discard(): Promise<void> {
    this.discarded += 1;
    this.end();
  }
}

function opened(limit: number, make: () => Stub = () => new Stub(), most_running = Number.POSITIVE_INFINITY) {
  const [clock, log] = [new VirtualClock(), new RecordingLog()];
  const made: { kind: string; stub: Stub }[] = [];
  const pool = new WarmPool<ProcessKind, Stub>({
    clock,
    log,
    limit,
    limit_each: 4,
    ...{ refill_ms: 20, end_ms: 20 },
    most_running,
    async prepare({ key }) {
      const stub = make();
      made.push({ kind: key, stub });
      return stub;
    },
  });
  const kind = (key: string): ProcessKind => ({ key, program: key, filename: key });
  return {
    clock,
    log,
    pool,
    made,
    use: (key: string, ended: Promise<unknown> = Promise.resolve()) => pool.trackPass(kind(key), ended),
    take: (key: string) => pool.claim(kind(key)),
    waiting: () => made.filter(({ stub }) => stub.discarded === 0).map((one) => one.kind),
  };
}

t.test('as many wait as ran at once, four at most', async (t) => {
  const { clock, use, take, waiting, pool } = opened(8);
  t.equal(take('a'), undefined);
  use('a');
  await clock.advance(10_000);
  t.same(waiting(), ['a']);
  for (let n = 0; n < 3; n += 1) use('a', never);
  await clock.advance(10_000);
  t.same(waiting(), ['a', 'a', 'a']);
  for (let n = 0; n < 9; n += 1) use('a', never);
  await clock.advance(10_000);
  t.equal(waiting().length, 4);
  await pool.close();
  t.same(waiting(), []);
  t.equal(clock.armed, 0, 'no timer is left');
});

t.test('none is prepared while more passes run than the machine has processors for', async (t) => {
  const { clock, use, waiting, pool } = opened(8, undefined, 1);
  const { promise: one, resolve: endOne } = Promise.withResolvers<void>();
  const { promise: two, resolve: endTwo } = Promise.withResolvers<void>();
  use('a', one);
  use('b', two);
  await clock.advance(10_000);
  t.same(waiting(), []);
  endOne();
  await clock.advance(10_000);
  t.same(waiting().toSorted(), ['a', 'b'], 'the end of a pass has it look again');
  endTwo();
  await pool.close();
  t.equal(clock.armed, 0);
});

t.test('the ones used last take the place of others', async (t) => {
  const { clock, use, waiting, pool } = opened(2);
  for (const key of ['a', 'b', 'c', 'c', 'b']) {
    use(key);
    await clock.advance(1000);
  }
  t.same(waiting(), ['b', 'c']);
  await pool.close();
});

t.test('names that come once do not drive each other out', async (t) => {
  const { clock, use, made, waiting, pool } = opened(2);
  for (let n = 0; n < 100; n += 1) {
    use(`once-${n}`);
    await clock.advance(100);
  }
  t.equal(made.length, 2);
  for (let n = 0; n < 2; n += 1) {
    use('twice');
    await clock.advance(1000);
  }
  t.same(waiting(), ['once-1', 'twice']);
  await pool.close();
});

t.test('of many names those used last are remembered', async (t) => {
  const { clock, use, waiting, pool } = opened(2);
  for (let n = 0; n < 1000; n += 1) {
    use(`once-${n}`);
    if (n % 50 === 0) use('often');
    await clock.advance(100);
  }
  t.same(waiting(), ['often', 'once-0']);
  t.equal(clock.armed, 64, 'a timer for each');
  await pool.close();
  t.equal(clock.armed, 0);
});

t.test('none waits on a machine with little memory', async (t) => {
  const { clock, use, made, pool } = opened(0);
  use('a');
  await clock.advance(10_000);
  t.same(made, []);
  await pool.close();
});

t.test('each is given away once, and only while it is usable', async (t) => {
  const { clock, use, take, made, pool } = opened(8);
  use('a');
  await clock.advance(1000);
  t.equal(take('a'), made[0]!.stub);
  t.equal(take('a'), undefined);
  use('a');
  await clock.advance(1000);
  made[1]!.stub.is_usable = false;
  t.equal(take('a'), undefined);
  t.equal(made[1]!.stub.discarded, 1);
  await pool.close();
  t.equal(made[0]!.stub.discarded, 0, 'that one belongs to its pass');
  t.equal(take('a'), undefined);
});

t.test('what cannot be prepared is tried again minutes later', async (t) => {
  const { clock, use, made, log, pool } = opened(8, () => new Stub(false));
  for (let n = 0; n < 5; n += 1) {
    use('a');
    await clock.advance(1000);
  }
  t.equal(made.length, 1);
  t.same(log.messages('info'), ['an interpreter could not be prepared']);
  await clock.advance(IDLE_MS);
  use('a');
  await clock.advance(1000);
  t.equal(made.length, 2);
  await pool.close();
});

t.test('many go when few are used any more', async (t) => {
  const { clock, use, waiting, pool } = opened(8);
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let n = 0; n < 3; n += 1) use('a', promise);
  await clock.advance(1000);
  t.equal(waiting().length, 3);
  resolve();
  await clock.advance(IDLE_MS - 2000);
  use('a');
  await clock.advance(2000);
  t.equal(waiting().length, 1);
  await clock.advance(2 * IDLE_MS);
  t.equal(waiting().length, 0);
  t.equal(clock.armed, 0);
  await pool.close();
});
