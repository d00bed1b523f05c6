import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { expr, createGraph, GraphServer, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

let graphs: GraphServer;
t.before(async () => {
  graphs = await GraphServer.open();
});
t.teardown(() => graphs.close());

/** `pointer message` of every fault of a save. */
async function faultsOf(document: unknown, name = 'g'): Promise<string[]> {
  const { status, json } = await graphs.call(`PUT /graphs/${name}`, document);
  if (status === 201 || status === 200) return [];
  return (json.errors ?? []).map(
    ({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`,
  );
}

t.test('what is not a graph at all', async (t) => {
  t.match(await graphs.call('PUT /graphs/g', { nodes: [] }), {
    status: 422,
    json: { code: 'workflow_invalid', errors: [{ pointer: '/version' }, { pointer: '/nodes' }] },
  });
  t.match(await graphs.call('PUT /graphs/g', [1]), { status: 400 });
  t.same(await faultsOf({ version: 'svc-graph/v2', nodes: [set('a')] }), ['/version must be "svc-graph/v1"']);
});

t.test('all faults at once, with what was meant', async (t) => {
  const document = {
    version: 'svc-graph/v1',
    nodez: [],
    nodes: [
      { id: 'a', type: 'sett', config: { values: 1 } },
      { id: 'b', type: 'set', config: { valuess: 1 }, retrys: {} },
      { id: 'b', type: 'delay', config: { for: '5 minutes' } },
      { id: '1st', type: 'set', config: { values: expr('nodes.c.output + nope') } },
      { id: 'c', type: 'event', config: { event: 'a b', when: 'steps.a' }, timeout: '0s' },
    ],
    edges: [
      { from: 'a', to: 'zz' },
      { from: 'a', to: 'b', when: true },
      { from: 'b', to: 'c', wen: 1 },
    ],
  };
  t.same((await faultsOf(document)).sort(), [
    '/edges/0/to the graph has no node zz',
    '/edges/2/wen is not a known member; did you mean when?',
    '/nodes/0/type "sett" is not a known type of node; did you mean set?',
    '/nodes/1/config/values is required',
    '/nodes/1/config/valuess is not a known member; did you mean values?',
    '/nodes/1/retrys is not a known member; did you mean retry?',
    '/nodes/2/config/for "5 minutes" is not a duration; write one like 500ms, 5s, 1m, 2h, 30d or 1h30m',
    '/nodes/2/id b is also the id of node 1',
    '/nodes/3/config/values/$expr line 1, column 18: unknown name `nope`: allowed: input, inputs, nodes, item, index, run, vars',
    '/nodes/3/id must be letters, digits, _ and -, beginning with a letter',
    '/nodes/4/config/event must have 1 to 64 characters from A-Z a-z 0-9 . _ -',
    '/nodes/4/config/when line 1, column 1: unknown name `steps`: allowed: event, input, inputs, nodes, item, index, run, vars',
    '/nodes/4/timeout is too short',
    '/nodezz is not a known member; did you mean nodes?'.replace('zz', 'z'),
  ]);
});

t.test('edges: cases, circles, doubles', async (t) => {
  const nodes = [set('a'), set('b'), set('c'), node('if', 'condition', { if: 'true' })];
  t.same(await faultsOf(createGraph(nodes, 'a>b b>c c>a')), ['/edges/2 closes a circle: a → b → c → a']);
  t.same(await faultsOf(createGraph(nodes, 'a>a')), ['/edges/0 closes a circle: a → a']);
  t.same(await faultsOf(createGraph(nodes, 'a>b a>b')), ['/edges/1 is the same as edge 0']);
  t.same(await faultsOf(createGraph(nodes, 'a>b?x if>b?maybe')), [
    '/edges/0/when is only for edges from a condition or a switch; a is a set',
    '/edges/1/when "maybe" is not a case of if; its cases: true, false',
  ]);
  t.same(await faultsOf(createGraph([set('a'), node('in', 'trigger.manual')], 'a>in')), [
    '/edges/0/to in is a trigger, which starts a graph; no edge can lead to it',
  ]);
});

t.test('expressions read only what ran before', async (t) => {
  const read = (text: string) => createGraph([set('a'), set('b', expr(text)), set('x-y')], 'a>b');
  t.same(await faultsOf(read('nodes.a.output')), []);
  t.same(await faultsOf(read('nodes["x-y"].output')), [
    '/nodes/1/config/values/$expr line 1, column 1: x-y does not run before b: no edges lead from it',
  ]);
  t.same(await faultsOf(read('nodes.b.output')), [
    '/nodes/1/config/values/$expr line 1, column 1: b is this node itself',
  ]);
  t.same(await faultsOf(read('1 +\n nodes.aa')), [
    '/nodes/1/config/values/$expr line 2, column 2: the graph has no node aa; did you mean a?',
  ]);
  t.same(await faultsOf(read('nodes[input.x]')), [
    '/nodes/1/config/values/$expr line 1, column 1: does not name a node: write nodes.<id>, or nodes["<id>"] for an id with a hyphen',
  ]);
  t.same(await faultsOf(read('item')), [
    '/nodes/1/config/values/$expr line 1, column 1: item is available only in the node of a fan_out and in the nodes of an each',
  ]);
  t.same(await faultsOf(read('1 +')), ['/nodes/1/config/values/$expr line 1, column 3: unexpected `+`']);
  t.same(await faultsOf(createGraph([set('a')], '', { output: { x: expr('nodes.q.output') } })), [
    '/output/x/$expr line 1, column 1: the graph has no node q',
  ]);
});

t.test('an expression that reads what no node has', async (t) => {
  const read = (text: string) => createGraph([set('a'), set('b', expr(text))], 'a>b');
  t.same(await faultsOf(read('nodes.a.error == null && has(nodes.a.nothing) ? nodes.a.status : nodes.a.case')), []);
  t.same(await faultsOf(read('1 + nodes.a.outputs.file')), [
    '/nodes/1/config/values/$expr line 1, column 5: a node has no outputs: nodes.a has output, status, error, case; did you mean output?',
  ]);
  t.same(await faultsOf(read('run.run_id')), [
    '/nodes/1/config/values/$expr line 1, column 1: there is no run.run_id: run has id, subject, trigger, fired',
  ]);
});

t.test('a node that no trigger leads to', async (t) => {
  const warned = async (document: unknown) => {
    const { status, json } = await graphs.call('PUT /graphs/orphan', document);
    t.ok(status < 300, JSON.stringify(json));
    return json.warnings as string[];
  };
  const nodes = [node('in', 'trigger.manual'), set('a'), set('tidy'), set('more'), set('end')];
  t.same(await warned(createGraph(nodes, 'in>a a>end tidy>more more>end')), [
    '/nodes/2 (tidy) has no edge from a trigger or another node: it runs whatever starts the graph; add one, or remove the node',
  ]);
  t.same(await warned(createGraph(nodes, 'in>a in>tidy tidy>more more>end')), []);
  t.same(await warned(createGraph([set('a'), set('b')], '')), [], 'a graph without a trigger begins at all of them');
});

t.test('names leave room for types of events', async (t) => {
  const name = 'g'.repeat(40);
  t.same(await faultsOf(createGraph([set('a'.repeat(15))]), name), []);
  t.same(await faultsOf(createGraph([set('a'.repeat(16))]), name), [
    `/nodes/0/id is 16 characters long; the limit is 15: graph.${name}.<id>. must have fewer than 64 characters`,
  ]);
});

t.test('configs of every type', async (t) => {
  const one = (type: string, config: unknown) => faultsOf(createGraph([node('n', type, config)]));
  t.same(await one('emit', { type: 'run.done' }), ['/nodes/0/config/type is a type that only the service can emit']);
  t.same(await one('wait_signal', { name: 'event:x', timeout: 'soon' }), [
    '/nodes/0/config/name must not begin with event:, which is reserved for the service',
    '/nodes/0/config/timeout "soon" is not a duration; write one like 500ms, 5s, 1m, 2h, 30d or 1h30m',
  ]);
  t.same(
    await one('shell', { script: 'true', env: { SVC_X: '1', 'a-b': '1' }, credentials: { PATH: 'x', A: 'b c' } }),
    ['/nodes/0/config/credentials/A must match pattern "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$"'],
  );
  t.same(await one('shell', { script: 'true', env: { SVC_X: '1', 'a-b': '1' }, credentials: { PATH: 'x' } }), [
    '/nodes/0/config/env/SVC_X variables that begin with SVC_ are reserved for the service',
    '/nodes/0/config/env/a-b is not a variable name: [A-Za-z_][A-Za-z0-9_]{0,127}',
    '/nodes/0/config/credentials/PATH must not be PATH: it decides what programs run, or how they start',
  ]);
  t.same(await one('code', { script: '1', language: 'cobol' }), [
    '/nodes/0/config/language must be one of "javascript", "typescript", "python", "go", "bash"',
  ]);
  t.same(await one('fan_out', { items: [1], node: { type: 'condition', config: { if: 'true' } } }), [
    '/nodes/0/config/node/type condition cannot be the node of a fan_out',
  ]);
  t.same(await one('fan_out', { items: 'input', node: { type: 'set', config: { value: 1 } }, concurrency: 0 }), [
    '/nodes/0/config/concurrency must be at least 1',
  ]);
  t.same(await one('fan_out', { items: 'input', node: { type: 'set', config: { value: 1 } } }), [
    '/nodes/0/config/node/config/values is required',
    '/nodes/0/config/node/config/value is not a known member; did you mean values?',
  ]);
  t.same(
    await one('trigger.schedule', { cron: 'every day' }).then(([fault]) => fault?.split(' ')[0]),
    '/nodes/0/config/cron',
  );
  t.same(await one('trigger.event', { on: ['a*b'] }), [
    '/nodes/0/config/on/0 can have only one *, at its end, like run.* or *',
  ]);
  t.same(await one('trigger.webhook', { event_types: ['a', 'b'] }), [
    '/nodes/0/config/event_types can name several types only with a manifest that reads the event type from the delivery',
  ]);
  t.same(await one('workflow', {}), ['/nodes/0/config needs one of graph, source, from_repo']);
  t.same(await one('set', { values: { $expr: 1 } }), [
    '/nodes/0/config/values/$expr must be a string, and the only member of its object',
  ]);
  t.same(await one('set', { values: { '$svc.text': 1 } }), [
    '/nodes/0/config/values/$svc.text names that begin with $svc. are reserved',
  ]);
});

t.test('the graph of the README is valid', async (t) => {
  const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
  t.match(await graphs.call('PUT /graphs/readme', JSON.parse(example)), { status: 201, json: { warnings: [] } });
  const { json } = await graphs.call('POST /runs', {
    graph: 'readme',
    input: { payload: { body: { id: 7, total: 5 } } },
  });
  t.match(await graphs.states(json.run_id), /large:succeeded approved:skipped pack:running/);
});

t.test('warnings', async (t) => {
  const { json } = await graphs.call(
    'PUT /graphs/warned',
    createGraph(
      [
        node('if', 'condition', { if: 'true' }),
        set('yes', 'hello {{ input.name }}'),
        set('no'),
        set('both'),
        node('sh', 'shell', { script: 'echo {{', credentials: { TOKEN: 'nobody' } }),
      ],
      'if>yes?true if>no?false yes>both no>both',
    ),
  );
  t.same(json.warnings, [
    'node sh names the credential nobody, which the project does not have; a run needs it',
    '/nodes/1/config/values contains {{ }}, which is not evaluated there; write {"$expr": "…"}',
    'node both needs both yes and no, but if chooses only one of them; write "join": "any"',
  ]);
});

t.test('a check of a document tells line and column', async (t) => {
  const source = `{
  "version": "svc-graph/v1",
  "nodes": [
    {"id": "a", "type": "set", "config": {"values": 1}},
    {"id": "b", "type": "set", "config": {"values": {"$expr": "nodes.a.output"}}, "x": 1}
  ]
}`;
  t.match((await graphs.call('POST /check', { source, filename: 'g.json' })).json, {
    ok: false,
    problems: [
      { line: 5, column: 63, message: /^\/nodes\/1\/config\/values\/\$expr line 1, column 1: a does not run before b/ },
      {
        line: 5,
        column: 88,
        message:
          '/nodes/1/x is not a known member; known: id, type, config, retry, timeout, continue_on_error, join, idempotency_key, title, description, position',
      },
    ],
  });
  t.match((await graphs.call('POST /check', { source: '{"version":"svc-graph/v1",', kind: 'graph' })).json, {
    problems: [{ message: /not valid JSON/ }],
  });
});

t.test('a check warns of what is probably not meant', async (t) => {
  const document = createGraph(
    [node('if', 'condition', { if: 'true' }), set('yes', '{{ input }}'), set('no'), set('both')],
    'if>yes?true if>no?false yes>both no>both',
  );
  const check = await graphs.call('POST /check', { source: JSON.stringify(document, null, 2), kind: 'graph' });
  t.match(check.json, {
    ok: true,
    warnings: [
      { line: 15, code: 'graph_warning', message: /^\/nodes\/1\/config\/values contains/ },
      { message: /^node both needs both yes and no/ },
    ],
  });
});

t.test('a check warns of credentials as a save does', async (t) => {
  const document = createGraph([node('sh', 'shell', { script: 'true', credentials: { TOKEN: 'nobody' } })], '');
  const warning = 'node sh names the credential nobody, which the project does not have; a run needs it';
  t.match((await graphs.call('PUT /graphs/warned', document)).json, { warnings: [warning] });
  const check = await graphs.call('POST /check', { source: JSON.stringify(document, null, 2), kind: 'graph' });
  t.match(check.json, {
    ok: true,
    warnings: [{ line: 10, code: 'credential_missing', message: warning }],
  });
});

t.test('a single node', async (t) => {
  t.match(await graphs.call('POST /runs', { node: 'set', config: { values: 5 } }), { status: 201 });
  t.match(await graphs.call('POST /runs', { node: 'sett', config: {} }), {
    status: 422,
    json: { code: 'workflow_invalid', errors: [{ pointer: '/node', message: /did you mean set/ }] },
  });
  t.match(await graphs.call('POST /runs', { node: 'trigger.manual' }), {
    status: 422,
    json: { errors: [{ message: /starts a graph/ }] },
  });
  t.match(await graphs.call('POST /runs', { node: 'delay', config: { for: 5 } }), {
    status: 422,
    json: { errors: [{ message: /\/config\/for must be a string/ }] },
  });
});
