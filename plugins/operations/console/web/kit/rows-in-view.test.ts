import t from 'tap';
import { rowsInView } from './rows-in-view.ts';

t.test('the rows in view, and some beyond', async (t) => {
  t.same(rowsInView({ top: 0, height: 100 }, 1000, 20), { first: 0, end: 25 });
  t.same(rowsInView({ top: 2000, height: 100 }, 1000, 20), { first: 80, end: 125 });
  t.same(rowsInView({ top: 19_900, height: 100 }, 1000, 20), { first: 975, end: 1000 });
  t.same(rowsInView({ top: 0, height: 0 }, 0, 20), { first: 0, end: 0 }, 'none');
  t.same(rowsInView({ top: 5000, height: 100 }, 3, 20), { first: 3, end: 3 }, 'scrolled beyond rows that are gone');
});
