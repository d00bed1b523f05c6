import t from 'tap';
import { StatementCache } from './statement-cache.ts';

t.test('what is used stays, and what is not goes', async (t) => {
  const cache = new StatementCache<number>(3);
  cache.set('kept', 1);
  cache.set('left', 2);
  for (let n = 0; n < 20; n += 1) {
    cache.set(`other ${n}`, n);
    t.equal(cache.get('kept'), 1);
  }
  t.equal(cache.get('left'), undefined);
  t.equal(cache.get('other 19'), 19);
  t.equal(cache.get('other 0'), undefined);
  cache.clear();
  t.equal(cache.get('kept'), undefined);
});
