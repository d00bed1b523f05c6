import t from 'tap';
import { type Branch, treeOf } from './words.ts';

const link = (depth: number, id: string) => ({ depth, id, relation: 'called', kind: 'run' }) as const;
const said = (branches: readonly Branch[]): string =>
  branches.map(({ link: { id }, onwards }) => `${id}${onwards.length > 0 ? `(${said(onwards)})` : ''}`).join(' ');

t.test('links with depths are a tree', async (t) => {
  t.equal(said(treeOf([link(1, 'a'), link(2, 'b'), link(3, 'c'), link(2, 'd'), link(1, 'e')])), 'a(b(c) d) e');
  t.same(treeOf([]), []);
  t.equal(said(treeOf([link(1, 'a'), link(3, 'b')])), 'a(b)', 'a level that is left out');
});
