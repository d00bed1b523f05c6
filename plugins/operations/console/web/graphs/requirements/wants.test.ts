import t from 'tap';
import { accountDoes, wantsOf } from './wants.ts';

t.test('one entry a name, with all its nodes and the kinds that do for all of them', async (t) => {
  const wants = wantsOf({
    credentials: [
      { node_id: 'a', name: 'there', state: 'ok' },
      { node_id: 'a', name: 'mail', state: 'missing' },
      { node_id: 'b', name: 'mail', state: 'missing' },
      { node_id: 'b', name: 'mail', state: 'missing' },
      { node_id: 'c', name: 'there', state: 'wrong_kind', required_kind: 'basic', stored_kind: 'bearer' },
    ],
    kinds: { mail: ['api_key'], there: ['basic'] },
  });
  t.same(wants, [
    { name: 'there', state: 'wrong_kind', nodes: ['a', 'c'], kinds: ['basic'], stored_kind: 'bearer' },
    { name: 'mail', state: 'missing', nodes: ['a', 'b'], kinds: ['api_key'], stored_kind: undefined },
  ]);
  t.equal(accountDoes({ kinds: ['basic'] }), false);
  t.equal(accountDoes({ kinds: [] }), true);
});
