import t from 'tap';
import { readRun } from './address.ts';
import { lineOf } from './source-lines.ts';

t.test('a call is found in its source', async (t) => {
  const source = '# build it\nsvc step build -- make\nsvc wait-signal approve\nrun("build-all")\n';
  t.equal(lineOf(source, { kind: 'step', name: 'build' }), 2);
  t.equal(lineOf(source, { kind: 'wait-signal', name: 'approve' }), 3);
  t.equal(lineOf('steps:\n  - name: unit\n', { kind: 'step', name: 'unit' }), 2);
  t.equal(lineOf(source, { kind: 'step', name: 'buil' }), undefined);
  t.equal(lineOf(source, { kind: 'step', name: '' }), undefined);
  t.equal(lineOf('svc step a.b(c', { kind: 'step', name: 'a.b(c' }), 1);
});

t.test('an address of a run is read, and nothing else of it', async (t) => {
  t.same(readRun({ tab: 'log', step: 'a 1', line: 7, job: '', other: 1 }), { tab: 'log', step: 'a 1', line: 7 });
  t.same(readRun({ tab: 'steps', line: -1 }), {});
});
