import t from 'tap';
import { inputFrom, inputsOf, parsedValue } from './inputs.ts';

t.test('a script says what it reads', async (t) => {
  t.same(inputsOf('channel=$(svc input channel --default stable)\nid=$(svc input order.id)\n'), [
    { path: 'channel', script: true, default: 'stable' },
    { path: 'order.id', script: true },
  ]);
  t.same(inputsOf("svc('input', 'region', '--default', 'eu')"), [{ path: 'region', script: true, default: 'eu' }]);
  t.same(inputsOf('svc input\n'), []);
});

t.test('so do expressions', async (t) => {
  t.same(inputsOf('{"if": "input.total > 100 && input.total < 9", "x": "nodes.a.output"}'), [{ path: 'total' }]);
  t.same(inputsOf(`run: echo ${'${{ inputs.version }}'}`), [{ path: 'version' }]);
});

t.test('fields make the input', async (t) => {
  const fields = [{ path: 'order.id' }, { path: 'order.total' }, { path: 'note' }];
  t.same(inputFrom(fields, { 'order.id': '20931', 'order.total': '84.5', note: '' }), {
    order: { id: 20931, total: 84.5 },
  });
  t.equal(inputFrom(fields, {}), null);
  t.equal(Object.getPrototypeOf(inputFrom([{ path: '__proto__.x' }], { '__proto__.x': '1' })), Object.prototype);
});

t.test('a value is read as JSON when it is JSON', async (t) => {
  t.equal(parsedValue('true'), true);
  t.equal(parsedValue('stable'), 'stable');
  t.equal(parsedValue('12345678901234567890'), '12345678901234567890', 'no digit is lost');
  t.same(parsedValue('{"a":1}'), { a: 1 });
});
