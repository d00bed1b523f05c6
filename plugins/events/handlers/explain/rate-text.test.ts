import t from 'tap';
import { formatRateText, parseRateText } from './rate-text.ts';

t.test('a rate is a number and a duration', async (t) => {
  t.same(parseRateText(' 10/1m'), { count: 10, duration: '1m' });
  t.equal(formatRateText(10, '1m'), '10/1m');
  for (const text of ['', '10', '10/', '/1m', '0/1m', '-1/1m', '1.5/1m', '10/1m/2', '1e3/1m', '10 per 1m'])
    t.equal(parseRateText(text), undefined, text);
});
