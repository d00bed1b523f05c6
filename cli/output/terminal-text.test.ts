import { PassThrough } from 'node:stream';
import t from 'tap';
import { Output } from './output.ts';
import { LogText, ourColours, escapeText, stripColourIds } from './terminal-text.ts';

const log = (...chunks: (string | Buffer)[]): string => {
  const text = new LogText();
  return chunks.map((chunk) => text.write(Buffer.from(chunk as string))).join('') + text.end();
};

t.test('control characters of foreign text are shown, ours colour it', async (t) => {
  const { red } = ourColours(true);
  t.equal(escapeText(red('no')), '\u001b[31mno\u001b[39m');
  t.equal(stripColourIds(red('no')), '\u001b[31mno\u001b[39m');
  t.equal(escapeText('a\u001b[31mred\u001b[0m'), 'a\\u001b[31mred\\u001b[0m');
  t.equal(escapeText('\u001b]0;title\u0007'), '\\u001b]0;title\\u0007', 'the title of the window');
  t.equal(escapeText('\u009b31m\u009d'), '\\u009b31m\\u009d', 'C1');
  t.equal(escapeText('abc\rxyz\b\u007f\0'), 'abc\\u000dxyz\\u0008\\u007f\\u0000');
  t.equal(escapeText('\u202eevil\u2066\u061c'), '\\u202eevil\\u2066\\u061c', 'direction');
  t.equal(escapeText('tab\there\nline\r\nü 😀 שלום'), 'tab\there\nline\nü 😀 שלום');
  t.equal(escapeText(red('\u001b[31m')), '\u001b[31m\\u001b[31m\u001b[39m', 'foreign text within ours');
});

t.test('a log keeps its colours and nothing else', async (t) => {
  t.equal(log('\u001b[1;32mok\u001b[0m'), '\u001b[1;32mok\u001b[0m');
  t.equal(log('\u001b[38;5;8mgrey\u001b[m'), '\\u001b[38;5;8mgrey\u001b[m', 'what may hide is shown');
  t.equal(log('\u001b[8mhidden'), '\\u001b[8mhidden');
  t.equal(log('\u001b[2Jgone\u001b[1A'), '\\u001b[2Jgone\\u001b[1A');
  t.equal(log('10%\r20%\r\n'), '10%\\u000d20%\n');
});

t.test('the borders of chunks change nothing', async (t) => {
  const text = '\u001b[31mä😀\u001b[0m\r\n\u001b]0;x\u0007\u001b[2J\r';
  const whole = Buffer.from(text);
  for (let at = 1; at < whole.length; at++) t.equal(log(whole.subarray(0, at), whole.subarray(at)), log(text));
  t.equal(log(`\u001b[${'1;'.repeat(100_000)}`).slice(0, 9), '\\u001b[1;', 'a sequence without an end is not kept');
});

t.test('only a terminal gets the shown form', async (t) => {
  const written = (isTTY: boolean, write: (output: Output) => void) => {
    const stream = () => Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
    const streams = { stdout: stream(), stderr: stream() };
    const output = new Output(streams, { json: false, colour: true });
    write(output);
    output.end();
    return [streams.stdout, streams.stderr].map((one) => String(one.read() ?? ''));
  };
  const bad = 'x\u001b[2J\u202e';
  const cases: [string, (output: Output) => void, [string, string]][] = [
    ['data', (output) => output.data({}, () => bad), ['x\\u001b[2J\\u202e\n', '']],
    ['note', (output) => output.note(bad), ['', 'x\\u001b[2J\\u202e\n']],
    ['log', (output) => output.write(Buffer.from(bad)), ['x\\u001b[2J\\u202e', '']],
    ['held back', (output) => output.writeError(Buffer.from('x\u001b')), ['', 'x\\u001b']],
  ];
  for (const [name, write, shown] of cases) {
    t.same(written(true, write), shown, `${name} on a terminal`);
    t.match(written(false, write).join(''), 'x\u001b', `${name} elsewhere`);
  }
  const table = written(true, (output) =>
    output.write(
      output.table(
        ['a', 'b'],
        [
          [output.colours.green('x'), bad],
          ['long', 'y'],
        ],
      ),
    ),
  );
  t.match(table[0], '\u001b[32mx\u001b[39m     x\\u001b[2J', 'columns are as wide as what is shown');
});
