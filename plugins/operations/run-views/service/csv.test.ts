import t from 'tap';
import { csvHeader, csvLine, formatCell } from './csv.ts';

t.test('no cell is a formula, and each run is one line', async (t) => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r\n=1', "=HYPERLINK('x')"])
    t.match(formatCell(text), /^"?'/, text);
  t.equal(formatCell('=A1,"x"'), `"'=A1,""x"""`);
  t.equal(formatCell('a, "b"\nc'), '"a, ""b"" c"');
  t.equal(formatCell('plain-text'), 'plain-text');
  t.equal(formatCell(' padded '), '" padded "');
  t.equal(formatCell(undefined), '');
});

t.test('a run has a cell for each column', async (t) => {
  const run = {
    run_id: 'run_1',
    kind: 'script',
    workflow: '=cmd.sh',
    status: 'failed',
    tags: ['a', 'b'],
    trigger: { type: 'manual' },
    trusted: true,
    generation: 0,
    created_at: '2026-01-31T12:00:00.000Z',
    error: { code: 'script_failed', message: 'two\nlines' },
    annotations: [],
  } as unknown as Parameters<typeof csvLine>[0];
  const line = csvLine(run);
  t.equal(line.split(',').length, csvHeader().split(',').length);
  t.match(line, /^run_1,failed,script,'=cmd\.sh,,a b,manual,/);
  t.match(line, /,script_failed,two lines,/);
});
