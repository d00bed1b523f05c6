import t from 'tap';
import { CARD, columnsIn, layout, placesOf } from './layout.ts';

const nodes = ['a', 'b', 'c', 'constructor'].map((id) => ({ id, type: 'set' }));
const edges = [
  { from: 'a', to: 'b' },
  { from: 'b', to: 'c' },
  { from: 'c', to: 'nowhere' },
  { from: 'c', to: 'c' },
];

t.test('what comes after stands to the right, and no two cards overlap', async (t) => {
  const places = layout({ nodes, edges });
  t.equal(places.size, 4);
  t.ok(places.get('a')!.x + CARD.width < places.get('b')!.x);
  t.ok(places.get('b')!.x + CARD.width < places.get('c')!.x);
  const all = [...places.values()];
  for (const [i, one] of all.entries())
    for (const other of all.slice(i + 1))
      t.ok(Math.abs(one.x - other.x) >= CARD.width || Math.abs(one.y - other.y) >= CARD.height);
});

t.test('a long chain goes on below, where it can be read', async (t) => {
  const chain = Array.from({ length: 15 }, (_, n) => ({ id: `n${n}`, type: 'set' }));
  const places = layout({ nodes: chain, edges: chain.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id })) });
  const all = [...places.values()];
  t.equal(new Set(all.map(({ x }) => x)).size, 6);
  t.equal(
    new Set([...layout({ nodes: chain, edges: [{ from: 'n0', to: 'n1' }] }, 2).values()].map(({ x }) => x)).size,
    2,
  );
  t.equal(columnsIn(660, 0.7), 3);
  t.equal(columnsIn(100, 0.7), 2);
  t.equal(new Set(all.map(({ x, y }) => `${x} ${y}`)).size, 15);
  t.ok(places.get('n6')!.y > places.get('n5')!.y);
  t.ok(places.get('n6')!.x < places.get('n5')!.x);
});

t.test('a circle has places too', async (t) => {
  t.equal(layout({ nodes, edges: [...edges, { from: 'c', to: 'a' }] }).size, 4);
});

t.test('a place that the document gives is kept, and the others come below', async (t) => {
  const places = placesOf({ nodes: [{ ...nodes[0]!, position: { x: 5, y: 900 } }, ...nodes.slice(1)], edges });
  t.same(places.get('a'), { x: 5, y: 900 });
  t.ok(places.get('b')!.y > 900);
});

t.test('500 nodes are placed in a few seconds at most', async (t) => {
  const many = Array.from({ length: 500 }, (_, n) => ({ id: `n${n}`, type: 'set' }));
  const chain = many.slice(1).map(({ id }, n) => ({ from: `n${Math.floor(n / 2)}`, to: id }));
  const before = process.threadCpuUsage();
  layout({ nodes: many, edges: chain });
  // Other work on the machine counts for nothing.
  t.ok(process.threadCpuUsage(before).user / 1000 < 5000);
});
