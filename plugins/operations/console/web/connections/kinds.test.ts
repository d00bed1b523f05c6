import t from 'tap';
import { KIND_NAMES, KINDS, readKind } from './kinds.ts';

t.test('a kind is read, and nothing else', async (t) => {
  t.equal(readKind('basic'), 'basic');
  t.equal(readKind('nonsense'), 'bearer');
  t.equal(readKind(undefined), 'bearer');
});

t.test('of every kind exactly one field is typed unseen', async (t) => {
  for (const kind of KIND_NAMES) t.equal(KINDS[kind].fields.filter(({ secret }) => secret).length, 1, kind);
});

t.test('@CRED-011 @CRED-014 the form of each kind asks for all that the kind stores', async (t) => {
  const asked = Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].fields.map(({ name }) => name)]));
  t.same(asked, {
    bearer: ['token'],
    api_key: ['header', 'value'],
    basic: ['username', 'password'],
    url_token: ['token'],
  });
});
