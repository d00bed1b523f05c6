import t from 'tap';
import { AREAS } from '../../contract/places.ts';
import { areaOf, areasFor, groupsFor } from './areas.ts';

t.test('plugins can name every page of the menu', async (t) => {
  const pages = areasFor(() => true).map(({ to }) => areaOf(to));
  t.ok(pages.length > 10);
  t.same(
    pages.filter((page) => !(AREAS as readonly string[]).includes(page)),
    [],
  );
});

t.test('pages stand in groups, and each has a key of its own', async (t) => {
  t.same(
    groupsFor(() => true).map(([group]) => group),
    ['Observe', 'Build', 'Triggers', 'Connect', 'Admin'],
  );
  const viewer = groupsFor((role) => role === 'viewer').flatMap(([, areas]) => areas.map(({ name }) => name));
  t.notOk(viewer.includes('Connections'));
  t.notOk(viewer.includes('Audit'));
  const keys = areasFor(() => true).map(({ key }) => key);
  t.equal(new Set(keys).size, keys.length);
});
