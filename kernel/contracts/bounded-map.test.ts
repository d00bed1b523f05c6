import t from 'tap';
import { BoundedMap } from './bounded-map.ts';

t.test('a bounded map drops what was not used for the longest time', async (t) => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  t.equal(map.get('a'), 1);
  map.set('c', 3);
  t.same([map.get('a'), map.get('b'), map.get('c'), map.size], [1, undefined, 3, 2]);
  map.delete('a');
  map.set('d', 4);
  t.same([map.get('c'), map.get('d')], [3, 4]);
  map.clear();
  t.equal(map.size, 0);
});

t.test('a bounded map by weight keeps the newest, however heavy', async (t) => {
  const map = new BoundedMap<string, string>(10, { max_weight: 5, weigh: (value) => value.length });
  map.set('a', 'xx');
  map.set('b', 'xx');
  map.set('a', 'xxx');
  t.same([map.get('a'), map.get('b')], ['xxx', 'xx'], 'what is set again weighs once');
  map.set('c', 'x');
  t.same([map.get('a'), map.get('b'), map.get('c')], [undefined, 'xx', 'x']);
  map.set('d', 'x'.repeat(9));
  t.same([map.size, map.get('d')?.length], [1, 9]);
  map.set('e', 'x');
  t.same([map.size, map.get('e')], [1, 'x']);
});
