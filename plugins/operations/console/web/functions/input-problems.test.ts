import t from 'tap';
import { Refusal } from '../api/client.ts';
import { problemsOf, missingIn } from './input-problems.ts';

const SCHEMA = {
  type: 'object',
  required: ['sku', 'to'],
  properties: {
    sku: { type: 'string' },
    note: { type: 'string' },
    to: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    from: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
  },
};
const missing = (value: unknown) => Object.fromEntries(missingIn(SCHEMA, SCHEMA, value));

t.test('required members without a value', async (t) => {
  t.same(missing(undefined), { '/sku': 'Sku is required.', '/to/city': 'City is required.' });
  t.same(missing({ sku: 'lamp', to: { city: 'Bern' } }), {});
  t.same(missing({ sku: 'lamp', to: {}, from: {} }), {
    '/to/city': 'City is required.',
    '/from/city': 'City is required.',
  });
});

t.test('what the server refuses, at the member that it means', async (t) => {
  const errors = [
    { pointer: '/input/a~1b', message: 'is required' },
    { pointer: '/input/price', message: 'must be >= 0' },
    { pointer: '/tags/0', message: 'is too long' },
  ];
  t.same(Object.fromEntries(problemsOf(new Refusal(422, { errors }))), {
    '/a~1b': 'is required',
    '/price': 'must be >= 0',
  });
  t.same(Object.fromEntries(problemsOf(new Error('offline'))), {});
});
