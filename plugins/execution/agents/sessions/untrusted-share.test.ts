import t from 'tap';
import { boot } from '../../../../test/kit/index.ts';
import { parseUntrustedSlots } from './untrusted-share.ts';

t.setTimeout(120_000);

t.test('a share of the slots or a number of them, at least one and no more than there are', (t) => {
  const of = (text: string | undefined, slots: readonly number[]) => slots.map(parseUntrustedSlots(text));
  t.same(of(undefined, [1, 2, 3, 4, 9]), [1, 1, 1, 2, 4]);
  t.same(of('  ', [8]), [4]);
  t.same(of('25%', [1, 3, 8, 100]), [1, 1, 2, 25]);
  t.same(of('100%', [1, 8]), [1, 8]);
  t.same(of('3', [1, 3, 8]), [1, 3, 3]);
  for (const wrong of ['0', '0%', '101%', '1025', '-1', '50 %', '0.5', 'half', 'off'])
    t.throws(
      () => parseUntrustedSlots(wrong),
      { code: 'agent_setting_invalid', message: /SVC_UNTRUSTED_SLOTS/ },
      wrong,
    );
  t.end();
});

t.test('a wrong bound stops the start, and names its variable', async (t) => {
  for (const [name, text] of [
    ['SVC_UNTRUSTED_SLOTS', 'half'],
    ['SVC_UNTRUSTED_PROJECT_LIMITS', 'runs=many'],
  ] as const)
    await t.rejects(boot({ env: { [name]: text } }), { message: new RegExp(name) }, name);
});
