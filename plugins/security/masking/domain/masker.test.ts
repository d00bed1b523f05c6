import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { inspect } from 'node:util';
import t from 'tap';
import { needs } from '../../../../test/kit/needs.ts';
import { MASK } from '../contract.ts';
import { derivedForms, literalForms } from './forms.ts';
import { makeMasker } from './masker.ts';
import { WIDTHS } from './wrapped-scanner.ts';

/** Small and repeatable: mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Says the same in the plainest way: every occurrence of every form, overlaps joined. */
function naive(values: readonly string[], data: Buffer): Buffer {
  const forms = new Set(values.flatMap((value) => [...literalForms(value), ...derivedForms(value)]));
  const places: [number, number][] = [];
  for (const form of forms) {
    const bytes = Buffer.from(form);
    for (let at = data.indexOf(bytes); at >= 0; at = data.indexOf(bytes, at + 1)) places.push([at, at + bytes.length]);
  }
  for (const { text, at } of joinedLines(data))
    for (const form of forms) {
      const bytes = Buffer.from(form).toString('latin1');
      for (let from = text.indexOf(bytes); from >= 0; from = text.indexOf(bytes, from + 1))
        places.push([at[from]!, at[from + bytes.length - 1]! + 1]);
    }
  places.sort(([a], [b]) => a - b);
  const parts: Buffer[] = [];
  let out = 0;
  for (const [index, [from, to]] of places.entries()) {
    if (index === 0 || from >= out) parts.push(data.subarray(out, from), Buffer.from(MASK));
    out = Math.max(out, to);
  }
  return Buffer.concat([...parts, data.subarray(out)]);
}

/** Lines of full width with the one behind them, without their ends; and where each byte stands. */
function joinedLines(data: Buffer): { text: string; at: number[] }[] {
  const found: { text: string; at: number[] }[] = [];
  let open = false;
  let start = 0;
  for (const line of data.toString('latin1').split('\n')) {
    const text = line.replace(/\r$/, '');
    if (open || isFull(text)) {
      const group = open ? found.at(-1)! : { text: '', at: [] };
      if (!open) found.push(group);
      group.text += text;
      for (let index = 0; index < text.length; index += 1) group.at.push(start + index);
    }
    open = isFull(text);
    start += line.length + 1;
  }
  return found;
}

const isFull = (line: string): boolean => WIDTHS.includes(line.length) && /^[A-Za-z0-9+/]*$/.test(line);

/** Random pieces through a stream; sometimes empty ones. */
function streamed(values: readonly string[], data: Buffer, random: (below: number) => number, most: number): Buffer {
  const stream = makeMasker(values).stream();
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; ) {
    const size = random(most + 1);
    parts.push(stream.push(Buffer.from(data.subarray(at, at + size))));
    at += size;
  }
  return Buffer.concat([...parts, stream.end()]);
}

function pick<T>(list: readonly T[], random: (below: number) => number): T {
  return list[random(list.length)]!;
}

t.test('streams, however they are cut, come out as the plainest masker has them', async (t) => {
  const alphabets = ['ab', 'abc\n', 'aA+/= %"\\', 'é€x\r\n', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789'];
  const seed = randomInt(2 ** 31);
  t.comment(`seed ${seed}`);
  const random = randomOf(seed);
  let masked = 0;
  for (let round = 0; round < 600; round += 1) {
    const letters = [...pick(alphabets, random)];
    const word = (length: number) => Array.from({ length }, () => pick(letters, random)).join('');
    const values = Array.from({ length: 1 + random(6) }, () => word(4 + random(round % 10 === 0 ? 90 : 12)));
    const forms = values.flatMap((value) => [...literalForms(value), ...derivedForms(value), value]);
    const pieces = Array.from({ length: random(30) }, () =>
      random(9) === 0
        ? word(pick(WIDTHS, random))
        : random(3) === 0
          ? word(random(20))
          : pick(forms, random).slice(random(4) === 0 ? random(5) : 0),
    );
    const data = Buffer.from(pieces.join(random(2) === 0 ? '' : '\n'));
    const wanted = naive(values, data).toString('latin1');
    const masker = makeMasker(values);
    if (wanted.includes(MASK)) masked += 1;
    const found = [masker.bytes(data), streamed(values, data, random, 1), streamed(values, data, random, 40)];
    for (const one of found)
      if (one.toString('latin1') !== wanted) {
        t.same({ values, data: data.toString('latin1'), found: one.toString('latin1') }, { wanted });
        return;
      }
  }
  t.ok(masked > 400, `${masked} texts had something to be masked`);
});

t.test('a value is found at every split, in every form', async (t) => {
  const value = 'pä$$ w/rd+"1"\nline <two>\r\n#3';
  const masker = makeMasker([value]);
  const bytes = Buffer.from(value);
  const forms = [
    value,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll('%20', '+').toLowerCase().replaceAll('line', 'line'),
    new URLSearchParams({ '': value }).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll('ä', '\\u00e4').replaceAll('/', '\\/'),
  ];
  for (const form of forms) {
    const text = Buffer.from(`before ${form} after`);
    for (let split = 0; split <= text.length; split += 1) {
      const stream = masker.stream();
      const shown = Buffer.concat([
        stream.push(text.subarray(0, split)),
        stream.push(text.subarray(split)),
        stream.end(),
      ]);
      if (shown.toString() !== `before ${MASK} after`)
        t.equal(shown.toString(), `before ${MASK} after`, `split at ${split}`);
    }
    t.equal(masker.text(`before ${form} after`), `before ${MASK} after`);
  }
  for (const [before, after] of [
    ['a', 'b'],
    ['user:', 'xyz'],
    ['12', ''],
  ]) {
    const shown = masker.text(Buffer.from(`${before}${value}${after}`).toString('base64'));
    const core = Buffer.from(value).toString('base64').slice(4, -8);
    t.ok(shown.includes(MASK) && !shown.includes(core) && shown.length < 24, shown);
  }
  t.equal(masker.text('line <two>'), MASK, 'a line alone');
  t.equal(masker.text('#3'), '#3', 'a line too short to be masked');
});

/** What bash prints, asked of the real one. */
const bash = (script: string, value: string, env: Record<string, string> = {}): string =>
  execFileSync('bash', ['--norc', '-c', script], {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', X: value, ...env },
  })
    .toString()
    .replace(/\n$/, '');

t.test('what shells, HTML, hex and JSON in JSON make of a value is found', async (t) => {
  const values = [
    'plain-Token_0123456789',
    `it's "quoted" $HOME \`id\` a\\b!`,
    '#begin ~tilde=~x:~y {a,b} *?[z]^|&;<>()',
    'two\nlines\tand\x01more\x1b[0m of pä€😀',
    'ünï & <b>"x"</b> \'y\'',
  ];
  for (const value of values) {
    const masker = makeMasker([value]);
    const hex = Buffer.from(value).toString('hex');
    const json = JSON.stringify({ token: value });
    const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const forms: Record<string, string> = {
      'printf %q': bash('printf %q "$X"', value),
      'printf %q in the locale C': bash('printf %q "$X"', value, { LC_ALL: 'C' }),
      'printf %q behind a word': bash('printf %q "a $X"', value),
      'declare -p': bash('declare -p X', value),
      'quoted by bash': bash('echo "${X@Q}"', value),
      hex,
      'upper hex': hex.toUpperCase(),
      'xxd -p': hex.replaceAll(/.{60}(?=.)/g, '$&\n'),
      python: html.replaceAll('"', '&quot;').replaceAll("'", '&#x27;'),
      go: html.replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
      php: html.replaceAll('"', '&quot;').replaceAll("'", '&#039;'),
      xml: html.replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
      'text of an element': html,
      'JSON in JSON': JSON.stringify({ body: json }),
      'JSON in JSON in base64': Buffer.from(json).toString('base64'),
      'base64 of JSON behind a prefix': Buffer.from(`x${json}`).toString('base64url'),
    };
    for (const [name, form] of Object.entries(forms)) {
      const shown = masker.text(form);
      t.ok(shown.includes(MASK) && shown.length < form.length, `${name}: ${shown}`);
      // What is left of base64 are the bytes around the value; nothing of the value itself is anywhere.
      const parts = value.match(/[A-Za-z0-9]{4,}/g) ?? [];
      if (!name.includes('base64')) for (const part of parts) t.notOk(shown.includes(part), `${name} shows ${part}`);
      t.ok(shown.length < 60, `${name} is masked as a whole: ${shown}`);
    }
  }
});

/** Values of which Python and Node.js escape something, and choose each of their quotes. */
const ESCAPED = [
  'back\\slash-Token"1"',
  "back\\slash-Token'1'",
  `back\\slash-'both'"quotes"`,
  '`back\\slash`-\'all\'"quotes"',
  'pä€😀-\u00a0soft\u00adhyphen\u2028\u{e0001}',
  'bell\x07-escape\x1b[0m-back\bspace-\x7f\x85\f\v',
];

t.test('what Python prints of a value is found, also in an error', needs('python3'), async (t) => {
  const program = [
    'import sys, json',
    'v = json.loads(sys.argv[1])',
    'try: {}[v]',
    'except KeyError as error: e = error',
    'b = v.encode()',
    'print(json.dumps([repr(v), ascii(v), repr(b), repr({"k": v}), ascii([v]), str([b]), str(e), repr(bytearray(b)),',
    '  repr(repr(v)), repr(e.args), repr(Exception(repr(b))), repr(Exception(ascii(v))), json.dumps(str(e)), json.dumps(repr(b))]))',
  ].join('\n');
  for (const value of ESCAPED) {
    const masker = makeMasker([value]);
    const printed = execFileSync('python3', ['-c', program, JSON.stringify(value)]).toString();
    for (const text of JSON.parse(printed) as string[])
      t.match(
        masker.text(text),
        /^[^\w]*(?:bytearray\()?(?:Exception\W+)?b?\W*(?:b\W+)?(?:k\W+)?\*\*\*\W*$/,
        encodeURIComponent(text),
      );
  }
});

t.test('what Node.js prints of a value is found', async (t) => {
  for (const value of ESCAPED) {
    const masker = makeMasker([value]);
    for (const text of [inspect(value), inspect({ k: value }), inspect([[value]])])
      t.match(masker.text(text), /^\W*(?:k\W+)?\*\*\*\W*$/, encodeURIComponent(text));
  }
});

t.test('a value behind any prefix is found in wrapped lines, wherever they and the chunks break', async (t) => {
  const value = 'hunter22-canary-77';
  const masker = makeMasker([value]);
  const inner = [0, 1, 2].map((before) => Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64'));
  const parts = inner.flatMap((text) => [text.slice(4, 12), text.slice(12, 20)]);
  let leaks = 0;
  let runs = 0;
  for (const column of [76, 64])
    for (const end of ['\n', '\r\n'])
      for (let before = 0; before < 120; before += 1) {
        const plain = `${'p'.repeat(before)}${value}${'s'.repeat(70)}`;
        const lines = Buffer.from(plain)
          .toString('base64')
          .replaceAll(new RegExp(`.{${column}}`, 'g'), `$&${end}`);
        const text = Buffer.from(`begin\n${lines}\nend\n`);
        const whole = masker.bytes(text).toString();
        for (const cut of [
          0,
          1 + (before % 5),
          7 + before,
          8 + column,
          7 + column,
          6 + column,
          6 + column + end.length,
        ]) {
          const stream = masker.stream();
          const shown = Buffer.concat([
            stream.push(text.subarray(0, cut)),
            stream.push(text.subarray(cut)),
            stream.end(),
          ]);
          const joined = shown.toString().replaceAll(/[\r\n]/g, '');
          runs += 1;
          if (shown.toString() !== whole || !joined.includes(MASK) || parts.some((part) => joined.includes(part)))
            leaks += 1;
        }
        t.equal(decoded(whole).includes('canary'), false);
      }
  t.equal(leaks, 0, `${runs} ways to break it`);
  t.equal(
    masker.text('no line of such a width\nhunter22-\ncanary-77'),
    'no line of such a width\nhunter22-\ncanary-77',
  );
});

/** What base64 is left in a text. */
const decoded = (text: string): string =>
  Buffer.from(text.replaceAll(/[\r\n]|\*{3}/g, ''), 'base64').toString('latin1');

t.test('base64 of a long value is found in the lines that encoders break it into', async (t) => {
  const value = Array.from({ length: 150 }, (_, index) => String.fromCharCode(33 + ((index * 37) % 90))).join('');
  const alone = Buffer.from(value).toString('base64');
  for (const column of [76, 64])
    for (const end of ['\n', '\r\n']) {
      const text = alone.replaceAll(new RegExp(`.{${column}}`, 'g'), `$&${end}`);
      t.equal(
        makeMasker([value])
          .text(`${text}|`)
          .replaceAll(/[\r\n]/g, ''),
        `${MASK}|`,
      );
    }
});

t.test('only what may begin a value is held back', async (t) => {
  const stream = makeMasker(['hunter22', 'first line\nsecond line']).stream();
  const push = (text: string) => stream.push(Buffer.from(text)).toString();
  t.equal(push('nothing of it\n'), 'nothing of it\n');
  t.equal(push('a prompt: '), 'a prompt: ');
  t.equal(push('it is hunt'), 'it is ');
  t.equal(push(''), '');
  t.equal(push('ing\n'), 'hunting\n');
  t.equal(push('hunter2'), '');
  t.equal(push('2!'), '***!');
  t.equal(push('first line'), '***', 'a line of it is certain, whatever follows');
  t.equal(push('\nsecond line\n'), '\n');
  t.equal(push('hun'), '');
  t.equal(stream.flush().toString(), 'hun', 'three bytes say little');
  t.equal(push('ter22.'), '***.', 'and what comes behind them is still masked');
  t.equal(push('hunter2'), '');
  t.equal(stream.flush().toString(), MASK);
  t.equal(push('\nhunte'), '\n');
  t.equal(stream.end().toString(), 'hunte', 'nothing follows, so it is no value');
});

t.test('texts and JSON', async (t) => {
  const masker = makeMasker(['hunter22', '12345678', 'abcdef', 'defghi']);
  t.equal(masker.text('abcdefghi-abcdef'), '***-***', 'what overlaps is one');
  t.same(masker.json({ a: ['x hunter22', 12345678, 1, null, true], hunter22: { b: 'hunter22hunter22' } }), {
    a: ['x ***', '***', 1, null, true],
    '***': { b: '******' },
  });
  const lone = 'a lone \ud800 surrogate';
  t.equal(masker.text(lone), lone);
  t.ok(makeMasker(['abc', '']).idle);
  t.equal(makeMasker(['abc']).text('abc'), 'abc');
  t.throws(() => makeMasker(['x'.repeat(1024 * 1024 + 1)]), { code: 'secrets_too_large' });
  const data = Buffer.from(`${'-'.repeat(200_000)}hunter22${'-'.repeat(100_000)}hunt`);
  t.equal((await masker.maskLarge(data)).toString(), data.toString().replace('hunter22', MASK));
});

t.test('no values and no text make it slow', async (t) => {
  const cruel = [
    `${'a'.repeat(48_000)}b`,
    ...Array.from({ length: 50 }, (_, index) => `${'a'.repeat(500 + index)}c${index}`),
  ];
  const masker = makeMasker(cruel);
  const before = process.threadCpuUsage();
  const text = Buffer.alloc(2 * 1024 * 1024, 'a');
  t.equal(masker.bytes(text), text, 'none of them is in it');
  // Quadratic work on this would take hours; linear work some tens of milliseconds.
  const took = process.threadCpuUsage(before).user / 1000;
  t.ok(took < 5000, `${took} ms`);
});
