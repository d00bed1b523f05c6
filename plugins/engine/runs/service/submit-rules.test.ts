import t from 'tap';
import { DOCUMENT_BYTES, INPUT_BYTES, submitFaults, tooLarge, workflowName } from './submit-rules.ts';

const pointers = (run: Parameters<typeof submitFaults>[0]) => submitFaults(run).map((fault) => fault.pointer);

t.test('a plain submit has no fault, at every bound', async (t) => {
  t.same(
    submitFaults({
      source: 'true',
      filename: 'ä'.repeat(255),
      interpreter: 'ruby -w',
      env: { A: '', _b2: 'x'.repeat(65_536), [`N${'n'.repeat(127)}`]: 'line\nline' },
      tags: ['😀'.repeat(128), ...Array.from({ length: 63 }, (_, i) => `${i}:`.padEnd(128, 'x'))],
      subject: 'acme/app',
      requires: ['linux', 'gpu:a100', 'node20.1+x'],
      idempotency_key: 'k'.repeat(255),
    }),
    [],
  );
});

t.test('each fault names its place', async (t) => {
  t.same(pointers({ source: '', env: { SVC_URL: 'x' } }), ['/env/SVC_URL']);
  t.same(pointers({ source: '', env: { '1A': 'x', 'a/b~c': 'x', '': 'x' } }), ['/env/1A', '/env/a~1b~0c', '/env/']);
  t.same(pointers({ source: '', env: { A: 'x\0y' } }), ['/env/A']);
  t.same(pointers({ source: '', tags: ['ok', '', 'x'.repeat(129), 'a\nb', '\ud800'] }), [
    '/tags/1',
    '/tags/2',
    '/tags/3',
    '/tags/4',
  ]);
  t.same(pointers({ source: '', tags: Array.from({ length: 65 }, () => 'x') }), ['/tags']);
  t.same(pointers({ source: '', requires: ['ok', 'two words', '-x'] }), ['/requires/1', '/requires/2']);
  t.same(pointers({ source: '', filename: 'a\0b', subject: '', interpreter: 'x\ny', idempotency_key: '\t' }), [
    '/filename',
    '/interpreter',
    '/subject',
    '/idempotency_key',
  ]);
  t.same(pointers({ source: '', env: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`V${i}`, ''])) }), [
    '/env',
  ]);
});

t.test('arguments are what one process takes', async (t) => {
  const args = ['', '-x', 'ab\nc', 'é'.repeat(61_437)];
  t.same(pointers({ source: 'true', args }), [], 'the bound itself is accepted');
  t.match(submitFaults({ source: 'true', args: [...args, 'é'] }), [{ pointer: '/args', message: /122882 bytes/ }]);
  t.same(pointers({ source: '', args: ['a\0b', 'x'.repeat(65_537), '\ud800'] }), ['/args/0', '/args/1', '/args/2']);
  t.same(pointers({ source: '', args: Array.from({ length: 1025 }, () => '') }), ['/args']);
  t.same(pointers({ graph: 'g', args: ['x'] }), ['/args'], 'a graph has no program');
});

t.test('sizes count bytes of UTF-8, the bound itself is accepted', async (t) => {
  t.equal(tooLarge({ source: 'x'.repeat(DOCUMENT_BYTES) }), undefined);
  t.equal(tooLarge({ source: 'x'.repeat(DOCUMENT_BYTES + 1) })?.code, 'payload_too_large');
  t.equal(tooLarge({ source: 'é'.repeat(DOCUMENT_BYTES / 2 + 1) })?.status, 413);
  t.equal(tooLarge({ source: '', input: 'x'.repeat(INPUT_BYTES - 2) }), undefined);
  t.equal(tooLarge({ source: '', input: 'x'.repeat(INPUT_BYTES - 1) })?.code, 'payload_too_large');
});

t.test('the workflow is called after its file', async (t) => {
  t.equal(workflowName('ci/build.sh', 'script'), 'build.sh');
  t.equal(workflowName('C:\\ci\\build.sh', 'script'), 'build.sh');
  t.equal(workflowName('dir/', 'script'), 'dir');
  for (const name of [undefined, '/', '..', 'x/.']) t.equal(workflowName(name, 'script'), 'script', String(name));
});

t.test('what runs is one of source, graph, node and function', async (t) => {
  t.same(pointers({ source: 'true', filename: 'a.sh', kind: 'script' }), []);
  t.same(pointers({ graph: 'g', input: 1, tags: ['a'] }), []);
  t.same(pointers({ node: 'http', config: { url: 'x' } }), []);
  t.same(pointers({}), ['/source']);
  t.same(pointers({ source: 'a', graph: 'g' }), ['/graph']);
  t.same(pointers({ graph: 'g', node: 'http' }), ['/node']);
  t.same(pointers({ graph: 'g', config: {}, interpreter: 'sh' }), ['/interpreter', '/config']);
  t.same(pointers({ source: 'a', config: {} }), ['/config']);
  t.match(tooLarge({ node: 'http', config: { text: 'x'.repeat(DOCUMENT_BYTES) } }), { code: 'payload_too_large' });
});
