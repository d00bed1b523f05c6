import t from 'tap';
import { brief, celOf, restOf, tablesOf } from './paths.ts';

t.test('a member is an expression that CEL reads', async (t) => {
  t.equal(celOf(['nodes', 'order', 'output', 'items', 0, 'sku']), 'nodes.order.output.items[0].sku');
  t.equal(celOf(['nodes', 'in-coming', 'output']), 'nodes["in-coming"].output');
  t.equal(celOf(['input', 'in']), 'input["in"]');
  t.equal(celOf(['input', 'a "b"']), 'input["a \\"b\\""]');
  t.equal(restOf(['nodes', 'order', 'output', 'payload', 'id'], 3), 'payload.id');
});

t.test('a value in a few characters', async (t) => {
  t.equal(brief([1]), '1 item');
  t.equal(brief({ a: 1, b: 2 }), '2 members');
  t.equal(brief('x'.repeat(80)).length, 61);
  t.equal(brief(undefined), 'null');
});

t.test('a value as tables', async (t) => {
  const order = { id: 7, customer: { name: 'Jansen' }, items: [{ sku: 'A' }, { sku: 'B', n: 2 }], tags: ['x'] };
  const { leaves, grids, more } = tablesOf(order, ['input']);
  t.same(
    leaves.map(([path, value]) => [celOf(path), value]),
    [
      ['input.id', 7],
      ['input.customer.name', 'Jansen'],
      ['input.tags', ['x']],
    ],
  );
  t.same(grids, [{ path: ['input', 'items'], columns: ['sku', 'n'], rows: order.items, total: 2 }]);
  t.equal(more, false);
  t.equal(
    tablesOf(
      Array.from({ length: 60 }, (_, n) => ({ n })),
      ['input'],
    ).more,
    true,
  );
  t.equal(tablesOf(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [n, n])), ['input']).leaves.length, 100);
});
