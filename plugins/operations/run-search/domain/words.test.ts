import t from 'tap';
import { nameTerm, wordsOf, wordsOfJson } from './words.ts';

t.test('words are letters, digits and underscores in lower case', async (t) => {
  t.same(wordsOf('Order 42: Größe, order_id=ａ', 9), ['order', '42', 'größe', 'order_id', 'a']);
  t.same(wordsOf('a b c', 2), ['a', 'b']);
  t.same(wordsOf('*** -- ', 9), []);
  t.equal(wordsOf('x'.repeat(100), 9)[0]!.length, 64);
});

t.test('escapes of JSON are no letters', async (t) => {
  t.same(wordsOfJson(JSON.stringify({ a: 'one\ntwo\u0007three "four"' }), 9), ['a', 'one', 'two', 'three', 'four']);
});

t.test('a name is one term', async (t) => {
  t.equal(nameTerm(' Deploy to-EU '), 'deploy to-eu');
});
