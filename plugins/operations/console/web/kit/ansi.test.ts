import t from 'tap';
import { Ansi, plain } from './ansi.ts';

t.test('colours and weights become names of classes', async (t) => {
  const ansi = new Ansi();
  t.same(ansi.line('\u001b[1;31mred\u001b[0m plain'), [
    { text: 'red', look: 'fg-1 bold' },
    { text: ' plain', look: '' },
  ]);
  t.same(ansi.line('\u001b[92;44mx\u001b[39my\u001b[49mz'), [
    { text: 'x', look: 'fg-10 bg-4' },
    { text: 'y', look: 'bg-4' },
    { text: 'z', look: '' },
  ]);
  t.same(ansi.line('\u001b[4mu\u001b[24mn'), [
    { text: 'u', look: 'underline' },
    { text: 'n', look: '' },
  ]);
});

t.test('a look goes on in the next line until it is taken back', async (t) => {
  const ansi = new Ansi();
  ansi.line('\u001b[33mone');
  t.same(ansi.line('two\u001b[m three'), [
    { text: 'two', look: 'fg-3' },
    { text: ' three', look: '' },
  ]);
});

t.test('of 256 colours the first sixteen are known, others change nothing; what follows is read right', async (t) => {
  const ansi = new Ansi();
  t.same(ansi.line('\u001b[38;5;2ma\u001b[38;5;200;1mb\u001b[0;38;2;1;2;3;4mc'), [
    { text: 'a', look: 'fg-2' },
    { text: 'b', look: 'fg-2 bold' },
    { text: 'c', look: 'underline' },
  ]);
});

t.test('nothing else of a terminal is carried out or shown', async (t) => {
  const hostile =
    'a\u001b[2J\u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\u001bM\u0008\u009b31mb\u0000';
  t.equal(
    new Ansi()
      .line(hostile)
      .map(({ text }) => text)
      .join(''),
    'alink31mb',
  );
  t.equal(plain(hostile), 'alink31mb');
  t.same(new Ansi().line('a\u001b['), [{ text: 'a', look: '' }], 'a sequence that was cut');
});

t.test('a line that is written again and again shows its last state', async (t) => {
  t.same(new Ansi().line('10%\r50%\r100%\r'), [{ text: '100%', look: '' }]);
});
