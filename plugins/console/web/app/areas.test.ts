import t from 'tap';
import { AREAS } from '../../contract/places.ts';
import { areaOf, areasFor } from './areas.ts';

t.test('plugins can name every page of the menu', async (t) => {
  const pages = areasFor(() => true).map(({ to }) => areaOf(to));
  t.ok(pages.length > 10);
  t.same(
    pages.filter((page) => !(AREAS as readonly string[]).includes(page)),
    [],
  );
});
