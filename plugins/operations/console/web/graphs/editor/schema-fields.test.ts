import t from 'tap';
import { emptyOf, exprOf, fieldOf, labelOf, resolved, type Schema, variantOf } from './schema-fields.ts';

const root: Schema = { $defs: { size: { type: 'integer', minimum: 3 }, loop: { $ref: '#/$defs/loop' } } };
const kind = (schema: Schema) => fieldOf(schema, root).kind;

t.test('each schema has a field, and JSON where none fits', async (t) => {
  t.equal(kind({ type: 'string' }), 'text');
  t.equal(kind({ type: ['string', 'null'] }), 'text');
  t.equal(kind({ type: ['string', 'number', 'boolean'] }), 'text');
  t.equal(kind({ type: ['object', 'string'] }), 'json');
  t.equal(kind({ type: 'boolean' }), 'boolean');
  t.equal(kind({ $ref: '#/$defs/size' }), 'integer');
  t.equal(kind({ $ref: '#/$defs/nothing' }), 'json');
  t.equal(kind({ $ref: '#/$defs/loop' }), 'json', 'and a circle ends');
  t.same(fieldOf({ enum: ['a', 1] }, root), { kind: 'choice', choices: ['a', 1] });
  t.same(fieldOf({ type: 'array', items: { type: 'string' } }, root), { kind: 'list', of: { type: 'string' } });
  t.equal(kind({ type: 'array' }), 'json');
  t.equal(kind({}), 'json');
  t.equal(kind({ if: { type: 'string' }, else: { type: 'integer' } }), 'integer');
  t.same(fieldOf({ type: 'object', additionalProperties: { type: 'string' } }, root), {
    kind: 'map',
    of: { type: 'string' },
  });
  t.equal(kind({ type: 'object', additionalProperties: true }), 'json');
  t.same(fieldOf({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, root), {
    kind: 'object',
    members: [{ name: 'a', schema: { type: 'string' }, required: true }],
    more: undefined,
  });
});

t.test('variants of objects: the one that fits is open', async (t) => {
  const field = fieldOf(
    {
      oneOf: [
        { properties: { a: {} }, required: ['a'] },
        { title: 'By b', properties: { b: {}, c: {} }, required: ['b'] },
      ],
    },
    root,
  );
  if (field.kind !== 'variants') return t.fail('no variants');
  t.same(
    field.variants.map(({ title }) => title),
    ['a', 'By b'],
  );
  t.equal(variantOf(field.variants, { b: 1, c: 2 }), 1);
  t.equal(variantOf(field.variants, undefined), 0);
  t.equal(kind({ anyOf: [{ type: 'string' }, { type: 'object' }] }), 'json');
});

t.test('what a value begins as, expressions and labels', async (t) => {
  t.equal(emptyOf({ $ref: '#/$defs/size' }, root), 3);
  t.same(emptyOf({ type: 'array', items: {} }, root), []);
  t.equal(emptyOf({ enum: ['x', 'y'] }, root), 'x');
  t.equal(emptyOf({ type: 'string' }, root), '');
  t.same(emptyOf({ type: 'object', properties: { a: {} } }, root), {});
  t.equal(exprOf({ $expr: 'a' }), 'a');
  t.equal(exprOf({ $expr: 1 }), undefined);
  t.equal(exprOf('a'), undefined);
  t.equal(labelOf('retry_on'), 'Retry on');
  t.equal(labelOf('sourceAccount'), 'Source account');
  t.equal(labelOf('userID'), 'UserID');
  t.equal(labelOf('x', { title: 'the text' }), 'The text');
  t.same(resolved({ $ref: '#/$defs/size', title: 'Own' }, root), { type: 'integer', minimum: 3, title: 'Own' });
});
