import t from 'tap';
import { STORES, openTestDatabase, until } from '../../../test/kit/index.ts';
import { expr, createGraph, GraphServer, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

type Node = ReturnType<typeof node>;

let graphs: GraphServer;
t.before(async () => {
  graphs = await GraphServer.open();
});
t.teardown(() => graphs.close());

const loop = (id: string, nodes: readonly Node[], more: Record<string, unknown> = {}): Node =>
  node(id, 'each', { items: [1, 2], nodes, ...more });

async function faultsOf(document: unknown): Promise<string[]> {
  const { status, json } = await graphs.call('PUT /graphs/g', document);
  if (status === 201 || status === 200) return [];
  return (json.errors ?? []).map(
    ({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`,
  );
}

t.test('loops have a bound of depth, of nodes and of open runs', async (t) => {
  const nested = (depth: number): Node => loop('in', depth === 0 ? [set('a')] : [nested(depth - 1)]);
  t.same(await faultsOf(createGraph([nested(2)])), []);
  t.same(await faultsOf(createGraph([nested(3)])), [
    '/nodes/0/config/nodes/0/config/nodes/0/config/nodes/0/config/nodes are nested too deeply: an each can be within 2 others',
  ]);
  const many = (count: number) => Array.from({ length: count }, (_, n) => set(`n${n}`, 1));
  t.match(await faultsOf(createGraph([loop('wide', many(501))])), [/^\/nodes\/0\/config\/nodes must have at most 500/]);
  const loops = Array.from({ length: 10 }, (_, n) => loop(`l${n}`, many(499)));
  t.same(await faultsOf(createGraph(loops)), []);
  t.same(await faultsOf(createGraph([...loops, set('one')])), [
    '/nodes/9/config/nodes are too many: a graph and its loops can have 5000 nodes in total',
  ]);
  const wide = { items: 'input', concurrency: 31 };
  t.same(await faultsOf(createGraph([loop('a', [loop('b', [set('c')], { ...wide, items: '[1]' })], wide)])), []);
  t.same(
    await faultsOf(
      createGraph([loop('a', [loop('b', [set('c')], { ...wide, items: '[1]' })], { ...wide, concurrency: 40 })]),
    ),
    ['/nodes/0/config/concurrency lets up to 1280 runs be open at once, with the loops in it; the limit is 1000'],
  );
});

t.test('what a loop cannot be', async (t) => {
  t.same(await faultsOf({ ...createGraph([set('a')]), for_item: true }), [
    '/for_item is only for the runs of an each; remove it',
  ]);
  const inner = { type: 'each', config: { items: [1], nodes: [set('a')] } };
  t.same(await faultsOf(createGraph([node('all', 'fan_out', { items: [1], node: inner })])), [
    '/nodes/0/config/node/type each cannot be the node of a fan_out',
  ]);
  t.same(await faultsOf(createGraph([loop('l', [set('a', expr('inputs.n'))])], '', { inputs: { n: 'integer' } })), [
    '/nodes/0/config/nodes/0/config/values/$expr line 1, column 1: the nodes of an each have no `inputs`; pass what they need with its `input`',
  ]);
  t.match(await faultsOf(createGraph([loop('l', [set('a')], { concurrency: expr('2') })])), [
    /^\/nodes\/0\/config\/concurrency\/\$expr must be a literal value/,
  ]);
});

t.test('a loop in a large graph is checked in a worker, with the same messages', async (t) => {
  const nodes = [set('x', expr('nodes.out.output')), set('y', expr('input.n'))];
  const large = Array.from({ length: 400 }, (_, n) => set(`n${n}`, expr(`index + ${n}`)));
  const at = '/nodes/1/config/nodes';
  t.same(await faultsOf(createGraph([set('out'), loop('l', [...nodes, ...large])], 'out>l')), [
    `${at}/0/config/values/$expr line 1, column 1: out is a node outside of the each, whose nodes cannot read it; pass what they need with its \`input\``,
    `${at}/1/config/values/$expr line 1, column 1: the each passes no \`input\` to its nodes; add one`,
  ]);
  t.same(await faultsOf(createGraph([loop('l', large)])), []);
});

t.test('warnings, credentials and event types include the nodes in loops', async (t) => {
  const inner = [
    node('pick', 'condition', { if: 'item == 1' }),
    set('yes', '{{ item }}'),
    set('no'),
    set('both'),
    node('told', 'emit', { type: 'loop.told' }),
    node('run', 'shell', { script: 'true', credentials: { KEY: 'gone' } }),
  ];
  const edges = createGraph(inner, 'pick>yes?true pick>no?false yes>both no>both').edges;
  const { status, json } = await graphs.call(
    'PUT /graphs/warned',
    createGraph([set('s'), loop('l', inner, { edges })]),
  );
  t.equal(status, 201);
  t.same(json.warnings, [
    'node l/run names the credential gone, which the project does not have; a run needs it',
    '/nodes/1/config/nodes/1/config/values contains {{ }}, which is not evaluated there; write {"$expr": "…"}',
    'node both needs both yes and no, but pick chooses only one of them; write "join": "any"',
  ]);
  t.match(await graphs.call('PUT /credentials/gone', { kind: 'bearer', token: 'tok-1' }), { status: 201 });
  const uses = await graphs.call('GET /credentials/gone/uses');
  t.match(JSON.stringify(uses.json), /node l\/run/);
  const types = await graphs.call('GET /event-types?limit=200');
  t.match(JSON.stringify(types.json), /loop\.told/);
});

// @store: items are called runs, made by statements in the steps of their loop.
for (const store of STORES)
  t.test(store, async (t) => {
    const database = await openTestDatabase(store);
    const server = await GraphServer.openFor(t, { database });
    t.teardown(() => database.drop());

    t.test('numbers stay exact on their way through a loop', async (t) => {
      const nodes = [set('a', [expr('item'), expr('input.big'), 12345678901234567890n])];
      const source = JSON.stringify(
        createGraph([loop('l', nodes, { items: [9007199254740993n], input: { big: 1.5 } })]),
      );
      const { json } = await server.call('POST /runs', { filename: 'g.json', source });
      await until(async () => (await server.read(json.run_id)).status === 'succeeded', { what: 'the loop to end' });
      const { output } = await server.read(json.run_id);
      t.equal(JSON.stringify(output), '[[9007199254740993,1.5,12345678901234567890]]');
    });

    t.test('a loop whose nodes are checked in a worker runs', async (t) => {
      const nodes = [set('long', 'x'.repeat(70_000)), set('a', expr('size(nodes.long.output) + item'))];
      const { edges } = createGraph(nodes, 'long>a');
      const root = await server.submit(createGraph([loop('l', nodes, { edges })]));
      await until(async () => (await server.read(root)).status === 'succeeded', { what: 'the loop to end' });
      t.same((await server.read(root)).output, [70_001, 70_002]);
    });

    t.test('an item can be run again, and reads its item', async (t) => {
      const nodes = [set('a', [expr('item'), expr('index'), expr('input')])];
      const root = await server.submit(createGraph([loop('l', nodes, { items: ['x'], input: 7 })]));
      await until(async () => (await server.read(root)).status === 'succeeded', { what: 'the loop to end' });
      const { json } = await server.call('GET /runs?workflow=l%5B0%5D.json');
      const [item] = json.runs;
      t.match(item, { parent: root, kind: 'graph', workflow: 'l[0].json' });
      const again = await server.call(`POST /runs/${item.run_id}/rerun`, {});
      t.equal(again.status, 201, JSON.stringify(again.json));
      await until(async () => (await server.read(again.json.run_id)).status === 'succeeded', {
        what: 'the item again',
      });
      t.same((await server.read(again.json.run_id)).output, ['x', 0, 7]);
    });
  });
