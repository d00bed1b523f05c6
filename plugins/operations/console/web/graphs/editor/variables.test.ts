import t from 'tap';
import { readOf, withVariable } from './variables.ts';

t.test('a member becomes a variable of a program, once', async (t) => {
  const cel = 'nodes.order.output.payload.body.id';
  const { name, env } = withVariable({ ORDER_ID: 'x' }, cel);
  t.equal(name, 'ORDER_ID_2');
  t.same(env, { ORDER_ID: 'x', ORDER_ID_2: { $expr: cel } });
  t.same(withVariable(env, cel), { name, env });
  t.equal(withVariable({}, 'input').name, 'INPUT');
  t.equal(withVariable({}, 'nodes["a-b"].output.items[0]').name, 'A_ITEMS');
});

t.test('each language reads it in its own way', async (t) => {
  t.equal(readOf('javascript', 'A'), 'process.env.A');
  t.equal(readOf('python', 'A'), 'os.environ["A"]');
  t.equal(readOf('go', 'A'), 'os.Getenv("A")');
  t.equal(readOf('bash', 'A'), '"$A"');
});
