import t from 'tap';
import { parseJson } from './json.ts';
import { fieldsOf, runsWhat, textsOf, whatOf, workflowOf } from './workflow.ts';

t.test('a form shows a workflow and says it again, with nothing lost', async (t) => {
  const all: [string, Record<string, unknown>][] = [
    ['source', { kind: 'script', filename: 'a.sh', source: 'echo\n', env: { A: 'b' }, tags: ['x'], input: false }],
    ['graph', { graph: 'deploy@3', subject: 's' }],
    ['node', { node: 'http', config: { url: 'http://x' }, cancel_on: ['stop'] }],
  ];
  for (const [what, workflow] of all) {
    t.equal(whatOf(workflow), what);
    t.same(workflowOf({ ...fieldsOf(workflow), what }), workflow);
  }
  t.equal(whatOf(null), 'nothing');
  t.equal(workflowOf({ what: 'nothing', further: 'not read' }), undefined);
  t.same(all.map(([, workflow]) => runsWhat(workflow)).concat(runsWhat(null), runsWhat({ kind: 'yaml' })), [
    'a.sh',
    'graph deploy@3',
    'node http',
    '',
    'a yaml',
  ]);
});

t.test('empty fields are left out, and line ends are those of a shell', async (t) => {
  t.same(workflowOf({ source: 'a\r\nb\r\n', filename: ' x.sh ', kind: '', interpreter: '' }), {
    source: 'a\nb\n',
    filename: 'x.sh',
  });
  t.same(textsOf({ a: ' ', b: ' c ' }, ['a', 'b', 'd']), { b: 'c' });
});

t.test('what cannot be read is said in plain words', async (t) => {
  t.throws(() => workflowOf({ further: '[1]' }), { message: /More settings must be a JSON object/ });
  t.throws(() => workflowOf({ further: '{"on": 1}' }), { message: /Unknown settings: on\. You can set input, env/ });
  t.throws(() => workflowOf({ what: 'node', node: 'http', config: '{' }), { message: /This is not JSON/ });
  t.equal(parseJson('  '), null);
});
