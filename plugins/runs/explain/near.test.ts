import t from 'tap';
import { distance, isNear, isNearPattern } from './near.ts';

t.test('how far two names are from each other', async (t) => {
  const cases: [string, string, number][] = [
    ['', '', 0],
    ['approval', 'aproval', 1],
    ['order.paid', 'order.piad', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ];
  for (const [one, other, letters] of cases) {
    t.equal(distance(one, other), letters, `${one} ${other}`);
    t.equal(distance(other, one), letters);
  }
  t.equal(distance('x'.repeat(10_000), 'x'.repeat(64)), 0, 'of long ones the beginnings');
});

t.test('what was probably meant', async (t) => {
  t.ok(isNear('approval', 'aproval'));
  t.ok(isNear('order.paid', 'Order.payed'));
  for (const other of ['approval', 'order.paid', 'approved.now', '']) t.notOk(isNear('approval', other), other);
  t.notOk(isNear('go', 'no'), 'of short names every letter counts');
  t.ok(isNearPattern('orders.*', 'order.paid') === false);
  t.ok(isNearPattern('order.*', 'oder.paid') || isNearPattern('order.*', 'ordre.paid'));
  t.notOk(isNearPattern('order.*', 'order.paid'), 'it fits');
  t.notOk(isNearPattern('*', 'order.paid'));
});
