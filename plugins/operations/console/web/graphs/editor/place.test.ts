import t from 'tap';
import { CARD } from '../canvas/layout.ts';
import { beside, freePlace } from './place.ts';

const at = (x: number, y: number, id = `${x} ${y}`) => ({ id, type: 'set', position: { x, y } });

t.test('a new card lies on no other one', async (t) => {
  t.same(freePlace({ nodes: [] }, { x: 1.4, y: 2 }), { x: 1, y: 2 });
  t.same(freePlace({ nodes: [at(0, 0), at(0, 92), { id: 'x', type: 'set' }] }, { x: 10, y: 5 }), { x: 10, y: 180 });
  t.same(freePlace({ nodes: [at(0, 0)] }, { x: 300, y: 5 }), { x: 300, y: 5 });
  t.ok(beside({ x: 0, y: 7 }).x > CARD.width);
});
