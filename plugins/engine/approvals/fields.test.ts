import t from 'tap';
import { expandShape } from '../../platform/schema/contract.ts';
import { answerOf, fieldsOf } from './page/fields.ts';
import { questionPage } from './page/page.ts';

const form = expandShape('amount: number, ok: boolean, env: test|live = test, note?: text, list?: array');

t.test('the fields of a form are read as its types', async (t) => {
  const sent = new URLSearchParams({ 'f.amount': '5.5', 'f.env': 'live', 'f.note': 'a\r\nb', 'f.list': '[1]' });
  t.same(answerOf(form, sent), { amount: 5.5, ok: false, env: 'live', note: 'a\nb', list: [1] });
  t.same(answerOf(form, new URLSearchParams({ 'f.amount': 'five', 'f.ok': 'on', 'f.env': '' })), {
    amount: 'five',
    ok: true,
  });
  t.same(answerOf({ type: 'array' }, new URLSearchParams({ payload: '[1,2]' })), [1, 2]);
  t.equal(answerOf({ type: 'array' }, new URLSearchParams()), null);
  const nullable = { type: 'object', properties: { env: { enum: [null, 'live', 3] } } };
  const chosen = (env: string) => answerOf(nullable, new URLSearchParams({ 'f.env': env }));
  t.same([chosen('null'), chosen('3'), chosen('other')], [{ env: null }, { env: 3 }, { env: 'other' }]);
  t.same(
    fieldsOf(form).map(({ input, required }) => `${input} ${required}`),
    ['number true', 'checkbox true', 'select false', 'textarea false', 'json false'],
  );
});

t.test('nothing of a question is markup on its page', async (t) => {
  const hostile = `"><script>alert(1)</script>`;
  const page = questionPage({
    terms: {
      message: hostile,
      form: { type: 'object', properties: { [hostile]: { type: 'string', title: hostile } } },
    },
    by: hostile,
    run_id: 'run_1',
    expires_at: '2026-01-01T00:00:00.000Z',
    sent: new URLSearchParams({ reason: hostile, [`f.${hostile}`]: hostile }),
    errors: [{ pointer: `/payload/${hostile}`, message: hostile }],
  });
  t.equal(page.status, 422);
  t.notMatch('text' in page ? page.text : '', '<script');
});
