import t from 'tap';
import { cpuOf, maxHoldMs } from '../../../test/kit/index.ts';
import { htmlOf, plainOf } from './domain/markdown.ts';

const TAGS = /^(?:a|blockquote|br|code|em|h[1-6]|hr|img|li|ol|p|pre|s|strong|table|tbody|td|th|thead|tr|ul)$/;
const ATTRIBUTES: Record<string, RegExp> = {
  href: /^(?:https?:\/\/|mailto:)/i,
  src: /^(?:https?:\/\/|mailto:)/i,
  alt: /^/,
  title: /^/,
  class: /^language-/,
  start: /^\d+$/,
  style: /^text-align:(?:left|right|center)$/,
};

/** Everything in HTML that Markdown does not make. */
function strange(html: string): string[] {
  const tags = [...html.matchAll(/<\/?([A-Za-z][^\s/>]*)((?:\s+[^\s=>]+(?:="[^"]*")?)*)\s*\/?>/g)];
  const rest = tags.reduce((text, [whole]) => text.replace(whole, ''), html);
  return [
    ...tags.filter(([, name = '']) => !TAGS.test(name)).map(([whole]) => whole),
    ...tags.flatMap(([, , attributes = '']) =>
      [...attributes.matchAll(/([^\s=]+)="([^"]*)"/g)]
        .filter(([, name = '', value = '']) => !ATTRIBUTES[name]?.test(value))
        .map(([whole]) => whole),
    ),
    ...(/[<]/.test(rest) ? [rest] : []),
  ];
}

t.test('HTML has the tags of Markdown and nothing that runs', async (t) => {
  const attacks = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<svg/onload=alert(1)>',
    '<!-- <script> -->',
    '<![CDATA[<script>]]>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '[x](//evil.example.org)',
    '[x](<javascript:alert(1)>)',
    '[x]: javascript:alert(1)\n\n[x]',
    '![x](data:image/svg+xml;base64,PHN2Zz4=)',
    '![" onerror="alert(1)](https://x.example.org/i.png)',
    '[x](https://x.example.org "t\\" onclick=\\"alert(1)")',
    '<javascript:alert(1)>',
    '<https://x.example.org/"onclick=alert(1)>',
    '```js" onclick="alert(1)\ncode\n```',
    '| a |\n|:-:|\n| <b>x</b> |',
    '\u0000<script>\u0000',
  ];
  for (const attack of attacks) t.same(strange(htmlOf(attack)), [], JSON.stringify([attack, htmlOf(attack)]));
  for (const html of ['<script>', '<p onclick="x">', '<a href="javascript:x">', '<p', '<svg/onload=x>'])
    t.not(strange(html).length, 0, `${html} would be found`);
  const signs = [
    '<',
    '>',
    '"',
    "'",
    '&',
    '[',
    ']',
    '(',
    ')',
    '!',
    '*',
    '_',
    '`',
    '\n',
    '#',
    '|',
    '-',
    ':',
    'javascript:',
    'https://x',
    'a',
    ' ',
    '\\',
    '~',
  ];
  let seed = 7;
  const next = (most: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + next(30) }, () => signs[next(signs.length)]).join('');
    const found = strange(htmlOf(text));
    if (found.length > 0) t.same(found, [], `${JSON.stringify(text)} → ${htmlOf(text)}`);
  }
});

t.test('plain text keeps what people read', async (t) => {
  const cases: [markdown: string, plain: string][] = [
    ['', ''],
    ['one *two* **three** `four` ~~five~~', 'one two three four five'],
    ['# Title\n\ntext\nmore', 'Title\n\ntext\nmore'],
    ['[name](https://x.example.org) <https://y.example.org>', 'name (https://x.example.org) https://y.example.org'],
    ['![picture](https://x.example.org/i.png)', 'picture'],
    ['- a\n- b\n  1. c\n  2. d\n\nend', '- a\n- b\n  1. c\n  2. d\n\nend'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['- a\n\n  second', '- a\n  second'],
    ['> quoted\n> **more**', '> quoted\n> more'],
    ['```\ncode <b>\n  more\n```', 'code <b>\n  more'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2'],
    ['a\n\n---\n\nb', 'a\n\n---\n\nb'],
    ['5 < 6 & <b>7</b>', '5 < 6 & <b>7</b>'],
    ['line  \nbreak', 'line\nbreak'],
  ];
  for (const [markdown, plain] of cases) t.equal(plainOf(markdown), plain, JSON.stringify(markdown));
});

t.test('no text holds the process up', async (t) => {
  const size = 64 * 1024;
  const texts = {
    stars: '*a ',
    brackets: '[',
    pictures: '![[]()',
    quotes: '>',
    ticks: '`a',
    lists: '- ',
    lines: 'a\n',
    names: '[a]: b\n',
    marks: '**a__b',
  };
  for (const [name, piece] of Object.entries(texts)) {
    const text = piece.repeat(size / piece.length);
    const most_ms = maxHoldMs();
    for (const form of [htmlOf, plainOf]) {
      const ms = cpuOf(() => form(text));
      t.ok(ms < most_ms, `${name}: ${ms} ms of at most ${most_ms}`);
    }
  }
  const large = '**a** <b>'.repeat(size);
  t.match(htmlOf(large), /^<p>\*\*a\*\* &lt;b&gt;/);
  t.equal(plainOf(large), large);
});
