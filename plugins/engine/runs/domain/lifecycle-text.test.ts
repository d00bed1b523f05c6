import t from 'tap';
import { tagMap } from './tag-map.ts';
import { tail } from './tail.ts';

/** What the specification says, whatever the code does. */
const LIMIT = 4000;

t.test('@RUN-007 @RUN-009 the tail is counted in code points and keeps the end', async (t) => {
  t.equal(tail('short'), 'short');
  t.equal(tail('abc', 2), 'bc');
  t.equal(tail('abc', 0), '');
  t.equal(tail(`x${'é'.repeat(LIMIT)}`), 'é'.repeat(LIMIT));
  t.equal(tail('a😀😀', 2), '😀😀', 'a pair counts once');
  t.equal(tail('😀b', 2), '😀b', 'two code points in three units');
  t.equal(tail('\ud800\ud800b', 2), '\ud800b', 'a lone surrogate counts once');
  t.equal([...tail('😀'.repeat(5000))].length, LIMIT);
});

t.test('only k:v tags are in the map', async (t) => {
  t.same(tagMap(['team:core', 'plain', ':x', 'url:http://a:1', 'team:late', 'empty:']), {
    team: 'late',
    url: 'http://a:1',
    empty: '',
  });
  const map = tagMap(['__proto__:x', 'constructor:y']);
  t.same(Object.keys(map), ['__proto__', 'constructor']);
});
