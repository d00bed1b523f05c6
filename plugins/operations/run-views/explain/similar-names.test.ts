import t from 'tap';
import { editDistance, isSimilar, isSimilarPattern } from './similar-names.ts';

t.test('how far two names are from each other', async (t) => {
  const cases: [string, string, number][] = [
    ['', '', 0],
    ['approval', 'aproval', 1],
    ['order.paid', 'order.piad', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ];
  for (const [one, other, letters] of cases) {
    t.equal(editDistance(one, other), letters, `${one} ${other}`);
    t.equal(editDistance(other, one), letters);
  }
  t.equal(editDistance('x'.repeat(10_000), 'x'.repeat(64)), 0, 'of long ones the beginnings');
});

t.test('what was probably meant', async (t) => {
  t.ok(isSimilar('approval', 'aproval'));
  t.ok(isSimilar('order.paid', 'Order.payed'));
  for (const other of ['approval', 'order.paid', 'approved.now', '']) t.notOk(isSimilar('approval', other), other);
  t.notOk(isSimilar('go', 'no'), 'of short names every letter counts');
  t.ok(isSimilarPattern('orders.*', 'order.paid') === false);
  t.ok(isSimilarPattern('order.*', 'oder.paid') || isSimilarPattern('order.*', 'ordre.paid'));
  t.notOk(isSimilarPattern('order.*', 'order.paid'), 'it fits');
  t.notOk(isSimilarPattern('*', 'order.paid'));
});
