import t from 'tap';
import { settles } from '../../features/support/settled.ts';
import { asText, assertMatches, assertReason } from '../../features/support/text.ts';

/** What the steps of the features are built on must be able to fail. */
t.test('what comes late ends what seemed absent', async (t) => {
  let found = 0;
  const late = setTimeout(() => (found = 1), 100);
  t.teardown(() => clearTimeout(late));
  await t.rejects(
    settles(async () => found, 0),
    { code: 'ERR_ASSERTION' },
  );
});

t.test('what stays is shown, and what comes soon is waited for', async (t) => {
  let found: string[] = [];
  const soon = setTimeout(() => (found = ['one']), 100);
  t.teardown(() => clearTimeout(soon));
  await t.resolves(settles(async () => found, ['one']));
});

t.test('what never comes is told with what was there', async (t) => {
  await t.rejects(
    settles(async () => 1, 2, 0),
    { code: 'ERR_ASSERTION', actual: 1, expected: 2 },
  );
});

t.test('nothing matches what is not there, and no pattern fits everything', async (t) => {
  t.throws(() => asText(undefined));
  t.equal(asText(null), 'null');
  t.throws(() => assertMatches(undefined, 'undefined'));
  t.throws(() => assertMatches(null, 'null'));
  t.throws(() => assertMatches('text', ''));
  t.throws(() => assertMatches('text', 'x*'));
  t.doesNotThrow(() => assertMatches('text', '^te'));
  t.doesNotThrow(() => assertMatches(['a'], 'a'));
});

t.test('an empty reason is no reason', async (t) => {
  t.throws(() => assertReason('refused for something', ''));
  t.throws(() => assertReason(undefined, 'something'));
  t.doesNotThrow(() => assertReason(undefined, ''));
  t.doesNotThrow(() => assertReason('refused for something', 'something'));
});
