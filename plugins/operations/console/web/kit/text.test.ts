import t from 'tap';
import { bytesOf, count, pretty, shellQuote, took, visible } from './text.ts';

t.test('times', async (t) => {
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  t.equal(took({}, now), '');
  t.equal(took({ started_at: '2026-11-21T09:00:00.000Z' }, now), '1 h');
  t.equal(took({ started_at: '2026-11-21T09:00:00.000Z', finished_at: '2026-11-21T09:00:02.500Z' }, now), '2.5 s');
});

t.test('values', async (t) => {
  t.equal(pretty('a'), 'a');
  t.equal(pretty({ a: 1 }), '{\n  "a": 1\n}');
  t.same([...bytesOf('AP8=')], [0, 255]);
  t.same([999, 9999, 12_345, 1_234_567].map(count), ['999', '9,999', '12.3 k', '1.2 M']);
});

t.test('what a shell reads as one word', async (t) => {
  t.equal(shellQuote('a-b/c.sh'), 'a-b/c.sh');
  t.equal(shellQuote("it's $HOME"), `'it'\\''s $HOME'`);
  t.equal(shellQuote(''), "''");
});

t.test('what could deceive is shown', async (t) => {
  t.equal(visible('a\u202eb'), 'a\\u202eb');
  t.equal(visible('a\u001b[31mb\tc\nd'), 'a\\u001b[31mb\tc\nd');
  t.equal(visible('Grüße 🙂'), 'Grüße 🙂');
});
