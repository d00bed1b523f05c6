import t from 'tap';
import { expressionsIn } from './evaluated.ts';

t.test('expressions of a config at any depth', async (t) => {
  const config = {
    if: 'input.a > 1',
    env: { ORDER: { $expr: 'input.id' }, PLAIN: 'input.id' },
    list: [1, { $expr: 'index' }],
  };
  t.same(expressionsIn('condition', config), [
    { where: 'if', text: 'input.a > 1' },
    { where: 'env.ORDER', text: 'input.id' },
    { where: 'list[1]', text: 'index' },
  ]);
  t.same(expressionsIn('set', { if: 'input.a' }), [], 'a text of another type is a text');
  t.equal(expressionsIn('set', { values: Array.from({ length: 50 }, () => ({ $expr: '1' })) }).length, 20);
  t.same(expressionsIn('set'), []);
  const nodes = [{ id: 'a', type: 'set', config: { values: { $expr: 'item' } } }];
  t.same(
    expressionsIn('each', { items: 'input.all', input: { n: { $expr: 'index' } }, nodes }),
    [
      { where: 'items', text: 'input.all' },
      { where: 'input.n', text: 'index' },
    ],
    'the runs of its items evaluate those of its nodes',
  );
});
