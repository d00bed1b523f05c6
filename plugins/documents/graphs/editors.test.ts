import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { expr, createGraph, GraphServer, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

const evaluate = (graphs: GraphServer, expression: string, names?: object, as?: 'viewer' | 'member') =>
  graphs.call('POST /expressions/evaluate', { expression, ...(names && { names }) }, as ?? 'member');

t.test('an expression is evaluated as in a run', async (t) => {
  const graphs = await GraphServer.open();
  t.teardown(() => graphs.close());
  const value = async (expression: string, names?: object) => (await evaluate(graphs, expression, names)).json;
  const names = {
    input: { total: 12, list: [1, 2] },
    nodes: { a: { output: { n: 4 }, status: 'succeeded', error: null, case: null } },
    run: { id: 'run_1', fired: [] },
  };
  t.same(await value('input.total > 10', names), { ok: true, value: true });
  t.same(await value('nodes.a.output.n + size(input.list)', names), { ok: true, value: 6 });
  t.same(await value('[item, index]'), { ok: true, value: [null, -1] }, 'as outside of a fan_out');
  t.same(await value('[item, index]', { item: 'x', index: 3 }), { ok: true, value: ['x', 3] });
  t.same(await value('event.payload.by != ""', { event: { payload: { by: 'me' } } }), { ok: true, value: true });

  const run_id = await graphs.submit(createGraph([set('a', { n: 4 }), set('b', expr('nodes.a.output.n * 2'))], 'a>b'));
  t.match(await graphs.read(run_id), { output: 8 });
  t.same(await value('nodes.a.output.n * 2', names), { ok: true, value: 8 }, 'the same as in the run');

  t.match(await value('input.nope.deep', names), { ok: false, reason: /input\.nope: no such field/ });
  t.match(await value('input.total +', names), { ok: false, problems: [{ line: 1, column: 13 }] });
  t.match(await value('1 +\n nope', names), { problems: [{ line: 2, column: 2, message: /unknown name/ }] });
  t.match(await value('event.type', names), { problems: [{ message: /unknown name `event`/ }] });
  t.match(await value('input', { event: {} }), { problems: [{ message: /allowed: event/ }] });
});

t.test('what an expression may cost is bounded, and so is what is sent and answered', async (t) => {
  const graphs = await GraphServer.open();
  t.teardown(() => graphs.close());
  const list = Array.from({ length: 2000 }, (_, n) => n);
  const costly = await evaluate(graphs, 'input.all(a, input.all(b, a + b >= 0))', { input: list });
  t.match(costly, { status: 200, json: { ok: false, reason: /too much work/ } });
  const long = await evaluate(graphs, `input + "${'x'.repeat(9000)}"`, { input: '' });
  t.match(long, { status: 200, json: { ok: false, problems: [{ message: /8192|characters/ }] } });
  const deep = await evaluate(graphs, `${'('.repeat(200)}1${')'.repeat(200)}`);
  t.match(deep, { status: 200, json: { ok: false, problems: [{ message: /64 levels/ }] } });
  const large = await evaluate(graphs, 'input', { input: 'x'.repeat(300_000) });
  t.match(large, { json: { ok: false, reason: /300002 bytes of JSON/ } });
  t.match(await evaluate(graphs, 'input', { input: 'x'.repeat(1_100_000) }), { status: 413 });
  t.match(await evaluate(graphs, '1', { other: 1 }), { status: 400 });
  t.match(await graphs.call('POST /expressions/evaluate', { names: {} }), { status: 400 });
  t.match(await evaluate(graphs, '1', {}, 'viewer'), { status: 403 });
});

for (const store of STORES)
  t.test(`${store}: a document is reported before it is saved, and a run shows its own`, async (t) => {
    const graphs = await GraphServer.open({ store, plugins: ['requests'] });
    t.teardown(() => graphs.close());
    const program = node('work', 'shell', { script: 'true', credentials: { TOKEN: 'mail' } });
    const document = createGraph([program]);
    const report = (body: unknown, as: 'viewer' = 'viewer') => graphs.call('POST /graph-requirements', body, as);
    t.match(await report({ document }), {
      status: 200,
      json: { ready: false, credentials: [{ node_id: 'work', name: 'mail', state: 'missing' }] },
    });
    t.equal((await graphs.call('PUT /credentials/mail', { kind: 'bearer', token: 'sesame-sesame' })).status, 201);
    t.match(await report({ document }), { json: { ready: true, credentials: [{ state: 'ok' }] } });
    const http = (id: string) => node(id, 'http', { url: 'https://example.org/', credential: 'mail' });
    t.same((await report({ document: createGraph([program, http('x'), http('y')]) })).json.kinds, {
      mail: ['bearer', 'api_key', 'basic'],
    });
    t.match(await report({ document: createGraph([node('x', 'nope')]) }), {
      status: 422,
      json: { code: 'workflow_invalid', errors: [{ pointer: '/nodes/0/type' }] },
    });
    t.match(await report({}), { status: 400 });

    const simple = createGraph([set('a', expr('input.n'))]);
    await graphs.call('PUT /graphs/simple', simple, 'member');
    await graphs.call('PUT /graphs/simple', { ...simple, title: 'Second' }, 'member');
    const made = await graphs.call('POST /runs', { graph: 'simple@1', input: { n: 3 } }, 'member');
    const run = `/runs/${made.json.run_id}`;
    const shown = await graphs.call(`GET ${run}/document`, undefined, 'viewer');
    t.match(shown, {
      status: 200,
      json: { kind: 'graph', workflow: 'simple', stored: { form: 'graph', name: 'simple', version: 1 } },
    });
    t.same(JSON.parse(shown.json.source), simple, 'the version that it runs, not the latest');
    t.match(await graphs.call(`GET ${run}/input`, undefined, 'member'), {
      status: 200,
      json: { envelope: { type: 'manual', input: { n: 3 } } },
    });
    t.equal((await graphs.call(`GET ${run}/input`, undefined, 'viewer')).status, 403);
    t.equal((await graphs.call('GET /runs/run_01JZZZZZZZZZZZZZZZZZZZZZZZ/document')).status, 404);
    t.match((await graphs.call('GET /graphs')).json.graphs, [{ name: 'simple', triggers: undefined }]);
  });
