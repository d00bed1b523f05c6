import t from 'tap';
import { type Line, LineBuffer } from './line-buffer.ts';

const text = (lines: Iterable<Line<string>>) =>
  Array.from(lines, (line) => `${line.mark}${line.text.toString()}\n`).join('');

t.test('lines are named when they are complete, however they are cut', async (t) => {
  const lines = new LineBuffer<string>();
  const push = (writer: string, chunk: string) => text(lines.push(writer, `${writer} | `, Buffer.from(chunk)));
  t.equal(push('a', 'one\ntw'), 'a | one\n');
  t.equal(push('b', 'x\n\ny\n'), 'b | x\nb | \nb | y\n');
  t.equal(push('a', 'o\n'), 'a | two\n');
  t.equal(push('a', ''), '');
  t.equal(push('a', 'rest'), '');
  t.equal(push('b', 'end'), '');
  t.equal(text(lines.end()), 'a | rest\nb | end\n');
  t.equal(text(lines.end()), '');
});

t.test('a line without an end is cut, so that nothing grows', async (t) => {
  const lines = new LineBuffer<string>();
  const out = text(lines.push('a', 'a | ', Buffer.alloc(200_000, 'x')));
  t.equal(out.split('\n').length - 1, 3);
  t.equal(text(lines.end()).length, 'a | \n'.length + (200_000 - 3 * 65_536));
});

t.test('a character that is cut between chunks stays whole', async (t) => {
  const lines = new LineBuffer<string>();
  const bytes = Buffer.from('äö\n');
  t.equal(text(lines.push('a', 'a | ', bytes.subarray(0, 1))), '');
  t.equal(text(lines.push('a', 'a | ', bytes.subarray(1))), 'a | äö\n');
});

t.test('a line has the mark of its beginning', async (t) => {
  const lines = new LineBuffer<string>();
  t.equal(text(lines.push('a', '1 ', Buffer.from('one\ntw'))), '1 one\n');
  t.equal(text(lines.push('a', '2 ', Buffer.from('o\nthree\nfo'))), '1 two\n2 three\n');
  t.equal(text(lines.push('a', '3 ', Buffer.from('u'))), '');
  t.equal(text(lines.end()), '2 fou\n');
});

t.test('the line of one writer can be closed', async (t) => {
  const lines = new LineBuffer<string>();
  lines.push('a', 'a | ', Buffer.from('begun'));
  lines.push('b', 'b | ', Buffer.from('other'));
  t.equal(text(lines.close('a')), 'a | begun\n');
  t.equal(text(lines.close('a')), '');
  t.equal(text(lines.end()), 'b | other\n');
});

t.test('a cut of a long line keeps its characters whole', async (t) => {
  for (const [begin, character] of [
    ['', '\u20ac'],
    ['x', '\u00e4'],
    ['xy', '\u{1f600}'],
  ] as const) {
    const lines = new LineBuffer<string>();
    const line = begin + character.repeat(60_000);
    const cut = [...lines.push('a', '', Buffer.from(line)), ...lines.end()].map(({ text }) => text.toString());
    t.ok(cut.length > 1);
    t.equal(cut.join(''), line);
  }
  const [bytes] = new LineBuffer<string>().push('a', '', Buffer.alloc(65_537, 0x80));
  t.equal(bytes!.text.length, 65_536, 'what is no text is cut where it is');
});

t.test('lines without an end of many writers have a bound together', async (t) => {
  const lines = new LineBuffer<string>();
  const begun = Buffer.alloc(60_000, 'x');
  let cut = 0;
  for (let n = 0; n < 100; n += 1) for (const line of lines.push(`w${n}`, '', begun)) cut += line.text.length;
  const left = lines.end().reduce((sum, { text }) => sum + text.length, 0);
  t.equal(cut + left, 100 * 60_000, 'all of it is given out');
  t.ok(left <= 1024 * 1024, `${left} bytes waited for their ends`);
});
