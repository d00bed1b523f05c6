import t from 'tap';
import { firstInput, withMember } from './input.ts';

t.test('an input begins with its defaults', async (t) => {
  const schema = {
    type: 'object',
    required: ['sku', 'gift', 'to'],
    properties: {
      sku: { type: 'string' },
      count: { type: 'integer', default: 1 },
      note: { type: 'string' },
      gift: { type: 'boolean' },
      to: { type: 'object', properties: { city: { type: 'string', default: 'Bern' } } },
    },
  };
  t.same(firstInput(schema), { count: 1, gift: false, to: { city: 'Bern' } });
  t.equal(firstInput({ type: 'number' }), undefined);
  t.same(firstInput({}), undefined);
});

t.test('a member comes and goes', async (t) => {
  t.same(withMember(undefined, 'a', 1), { a: 1 });
  t.same(withMember({ a: 1, b: 2 }, 'a', undefined), { b: 2 });
  t.same(Object.keys(withMember({}, '__proto__', 1)), ['__proto__'], 'whatever it is called');
});
