import { test } from 'tap';
import { createIds } from './ids.ts';

/** More than the random bytes of one fetch are good for. */
const MANY = 1000;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function idsAt(step_ms: number) {
  let now = 1_700_000_000_000;
  return createIds({ now: () => (now += step_ms), monotonic: () => now, after: () => () => undefined });
}

test('ids rise, within a millisecond and from one to the next', (t) => {
  for (const step_ms of [0, 1]) {
    const ids = idsAt(step_ms);
    const made = Array.from({ length: MANY }, () => ids.next('run'));
    t.same(made, [...new Set(made)].sort());
    t.ok(made.every((id) => /^run_[0-9A-HJKMNP-TV-Z]{26}$/.test(id)));
  }
  t.end();
});

test('every letter of the random part is drawn anew for each millisecond, from the whole alphabet', (t) => {
  const ids = idsAt(1);
  const made = Array.from({ length: MANY }, () => ids.next('run').slice(-16));
  for (let place = 0; place < 16; place++)
    t.same([...new Set(made.map((random) => random[place]))].sort().join(''), ALPHABET, `place ${place}`);
  t.equal(new Set(made).size, MANY);
  t.end();
});

test('two that make ids in the same milliseconds make others', (t) => {
  const [one, other] = [idsAt(1), idsAt(1)];
  const made = Array.from({ length: MANY }, () => [one.next('run'), other.next('run')]).flat();
  t.equal(new Set(made).size, 2 * MANY);
  t.end();
});

test('random bytes are as many as were asked for, are never handed out twice and stay as they are', (t) => {
  const ids = idsAt(1);
  const made = Array.from({ length: MANY }, (_, n) => ids.bytes(8 + (n % 25)));
  const texts = made.map((bytes) => bytes.toString('hex'));
  t.same(
    made.map((bytes) => bytes.length),
    made.map((_, n) => 8 + (n % 25)),
  );
  t.equal(new Set(texts.map((text) => text.slice(0, 16))).size, MANY);
  for (let n = 0; n < MANY; n++) ids.next('run');
  t.same(
    made.map((bytes) => bytes.toString('hex')),
    texts,
  );
  t.end();
});
