import t from 'tap';
import { isSimilar, isSimilarPattern } from './similar-names.ts';

t.test('what was probably meant', async (t) => {
  t.ok(isSimilar('approval', 'aproval'));
  t.ok(isSimilar('order.paid', 'Order.payed'));
  for (const other of ['approval', 'order.paid', 'approved.now', '']) t.notOk(isSimilar('approval', other), other);
  t.notOk(isSimilar('go', 'no'), 'of short names every letter counts');
  t.notOk(isSimilar('build', 'deploy'));
  t.ok(isSimilarPattern('orders.*', 'order.paid'));
  t.notOk(isSimilarPattern('orders.*', 'account.paid'));
  t.ok(isSimilarPattern('order.*', 'oder.paid') || isSimilarPattern('order.*', 'ordre.paid'));
  t.notOk(isSimilarPattern('order.*', 'order.paid'), 'it fits');
  t.notOk(isSimilarPattern('*', 'order.paid'));
});
