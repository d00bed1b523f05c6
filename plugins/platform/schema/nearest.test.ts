import t from 'tap';
import { similarNames } from './contract.ts';

t.test('the names that were probably meant, the most similar first', async (t) => {
  const names = ['events', 'event-hook', 'agents', 'submit', 'rm', 'ls'];
  for (const [word, ...meant] of [
    ['event', 'events'],
    ['evnet', 'events'],
    ['sumbit', 'submit'],
    ['rn', 'rm'],
    ['sl', 'ls'],
    ['evants', 'events', 'agents'],
    ['q'],
    [''],
    ['launch'],
  ] as const)
    t.same(similarNames(word, names, 2), meant, word);
});

t.test('transposed letters come first, and leave no doubt', async (t) => {
  t.same(similarNames('from', ['form', 'frog'], 2), ['form']);
  t.same(similarNames('stta', ['sta', 'stat'], 2), ['stat']);
});

t.test('a dropped letter is more likely than a wrong one', async (t) => {
  t.same(similarNames('slep', ['step', 'sleep']), ['sleep']);
});

t.test('a long name has no more slips than a short one', async (t) => {
  t.same(similarNames('determinism_violaton', ['determinism_violation']), ['determinism_violation']);
  t.same(similarNames('account_needs_renewal', ['account_needs_reconnect']), []);
  t.same(
    similarNames('x'.repeat(10_000), ['x'.repeat(64)]),
    ['x'.repeat(64)],
    'of very long ones the beginning counts',
  );
});
