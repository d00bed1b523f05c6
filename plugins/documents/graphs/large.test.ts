import t from 'tap';
import { expr, createGraph, GraphServer, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

let graphs: GraphServer;
t.before(async () => {
  graphs = await GraphServer.open({ plugins: ['connectors', 'requests'] });
});
t.teardown(() => graphs.close());

type Edge = { from: string; to: string; when?: boolean };

const listOf = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const sets = (count: number) => listOf(count, (n) => set(`n${n}`, 1));
const withEdges = (nodes: ReturnType<typeof sets>, edges: Edge[]) => ({ ...createGraph(nodes), edges });
const message = (text: string) =>
  node('say', 'team_chat.post_message', { with: { channel: 'c' }, credential: 'bot', input: { text } });

/** Documents that hurt a check whose work grows with the square of their size. */
const DOCUMENTS: Record<string, (size: number) => unknown> = {
  'edges to nodes that are not there': (size) =>
    withEdges(
      sets(size),
      listOf(4 * size, (n) => ({ from: `n${n % size}`, to: `m${n}` })),
    ),
  'misspelt types': (size) => createGraph(listOf(size, (n) => node(`n${n}`, `shel${n}`))),
  'circles of two': (size) =>
    withEdges(
      sets(size),
      listOf(size, (n) => ({ from: `n${n}`, to: `n${n ^ 1}` })),
    ),
  'one circle through all nodes': (size) =>
    withEdges(
      sets(size),
      listOf(size, (n) => ({ from: `n${n}`, to: `n${(n + 1) % size}` })),
    ),
  'a node behind all conditions': (size) =>
    withEdges(
      [...listOf(size / 2, (n) => node(`c${n}`, 'condition', { if: 'true' })), ...sets(size / 2), set('z', 1)],
      [
        ...listOf(size / 2, (n) => ({ from: `c${n}`, to: `n${n}`, when: true })),
        ...listOf(size / 2, (n) => ({ from: `n${n}`, to: 'z' })),
      ],
    ),
  'holes on many lines': (size) => createGraph([message('\n{{ input.x }}'.repeat(12 * size))]),
  'holes on one line': (size) => createGraph([message('{{ input.x }}'.repeat(12 * size))]),
  'reads of nodes that are not there': (size) =>
    createGraph(listOf(size, (n) => set(`n${n}`, expr(`nodes.m${n} + nodes.k${n}`)))),
  'a node that reads all before it': (size) =>
    withEdges(
      [
        ...sets(size),
        set(
          'z',
          listOf(size, (n) => expr(`nodes.n${n}`)),
        ),
      ],
      listOf(size, (n) => ({ from: `n${n}`, to: 'z' })),
    ),
  'many cases': (size) => createGraph([node('way', 'switch', { on: 'input.x', cases: listOf(12 * size, String) })]),
  'unknown members': (size) =>
    createGraph(listOf(size, (n) => node(`n${n}`, 'shell', { [`scrip${n}`]: 1, [`en${n}`]: 1 }))),
};

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The least of several measurements, since other work of the process only adds to it. */
async function leastOf(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < 2; round++) all.push(await cpuOf(work));
  return Math.min(...all);
}

const SMALL = 300;
const TIMES = 8;
/** Between work that grows with the size, 8 times as much, and work that grows with its square, 64 times as much. */
const MOST = 40;
/** Below this, in microseconds, the work is that of any request. */
const LEAST = 5000;

for (const [name, documentOf] of Object.entries(DOCUMENTS))
  t.test(name, async (t) => {
    const [small, large] = [SMALL, SMALL * TIMES].map(documentOf) as [unknown, unknown];
    const save = (document: unknown) => graphs.call('PUT /graphs/large', document);
    const check = (document: unknown) =>
      graphs.call('POST /check', { source: JSON.stringify(document), filename: 'g.json', kind: 'graph' });
    for (const [what, call] of Object.entries({ save, check })) {
      const [base, cost] = [await leastOf(() => call(small)), await leastOf(() => call(large))];
      t.ok(cost / Math.max(base, LEAST) < MOST, `${what}: ${Math.round(base)} µs, then ${Math.round(cost)} µs`);
      t.ok((await call(large)).status < 500);
    }
  });

t.test('of thousands of faults some are listed, and the others are counted', async (t) => {
  const document = DOCUMENTS['edges to nodes that are not there']!(2000);
  const { status, json } = await graphs.call('PUT /graphs/g', document);
  t.equal(status, 422);
  t.match(json.detail, /^the graph has 8000 errors, of which 200 are listed: \/edges\/0\/to /);
  t.equal(json.errors.length, 200);
  t.equal(json.errors[0].message, 'the graph has no node m0; did you mean n0?');
  const checked = await graphs.call('POST /check', { source: JSON.stringify(document), kind: 'graph' });
  t.equal(checked.json.problems.length, 201);
  t.equal(checked.json.problems.at(-1).message, 'has 7800 more errors, which are not listed');
});

t.test('lists that are too long are refused as a whole', async (t) => {
  const faults = async (document: unknown) => (await graphs.call('PUT /graphs/g', document)).json.errors;
  t.same(await faults({ version: 'svc-graph/v1', nodes: listOf(40_000, () => ({ id: '1' })) }), [
    { pointer: '/nodes', message: 'has 40000 items; the limit is 5000' },
  ]);
  t.same(await faults({ ...createGraph([set('a')]), edges: listOf(100_000, () => 0) }), [
    { pointer: '/edges', message: 'has 100000 items; the limit is 50000' },
  ]);
});

t.test('long names are cut in what is told of them', async (t) => {
  const long = 'x'.repeat(200_000);
  const { status, json } = await graphs.call(
    'PUT /graphs/g',
    createGraph([set('a', { [long]: listOf(1000, () => expr('nope')) })]),
  );
  t.equal(status, 422);
  t.equal(json.errors.length, 200);
  t.equal(json.errors[0].pointer, '/nodes/0/config/values');
  t.ok(JSON.stringify(json).length < 100_000);
  const warned = await graphs.call('PUT /graphs/g', createGraph([set('a', { [long]: listOf(1000, () => '{{ x }}') })]));
  t.equal(warned.status, 201);
  t.equal(warned.json.warnings.length, 51);
  t.equal(warned.json.warnings.at(-1), '950 more warnings, which are not listed');
  t.ok(JSON.stringify(warned.json).length < 100_000);
});

t.test('credentials may be called like members that every object has', async (t) => {
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  const nodes = names.map((name, n) => node(`n${n}`, 'shell', { script: 'true', credentials: { TOKEN: name } }));
  t.match(await graphs.call('PUT /graphs/named', createGraph(nodes)), { status: 201 });
  t.match(await graphs.call('GET /graphs/named/requirements'), {
    status: 200,
    json: { ready: false, credentials: names.map((name) => ({ name, state: 'missing' })) },
  });
});
