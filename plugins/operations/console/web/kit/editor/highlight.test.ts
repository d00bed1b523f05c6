import t from 'tap';
import { highlightLines } from './highlight.ts';

const looks = (text: string, language: Parameters<typeof highlightLines>[1]) =>
  highlightLines(text, language).map((line) =>
    line.filter(({ look }) => look !== '').map((one) => `${one.look} ${one.text}`),
  );

t.test('each language has its colours, line by line, and no character is lost', async (t) => {
  t.same(looks('# greet\nif true; then echo "$who"; fi', 'shell'), [
    ['hl-comment # greet'],
    ['hl-keyword if', 'hl-keyword then', 'hl-string "$who"', 'hl-keyword fi'],
  ]);
  t.same(looks("const x = 'a'; // why", 'code'), [['hl-keyword const', "hl-string 'a'", 'hl-comment // why']]);
  t.ok(looks('jobs:\n  go: 1', 'yaml')[0]!.includes('hl-name jobs'));
  t.ok(looks('{"a": true}', 'json')[0]!.includes('hl-keyword true'));
  t.same(looks('only text', 'text'), [[]]);
  const text = 'a: &x [1, 2]\n\nb: |\n  "x\n';
  t.equal(
    highlightLines(text, 'yaml')
      .map((line) => line.map((one) => one.text).join(''))
      .join('\n'),
    text,
  );
});
