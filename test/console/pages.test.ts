import t from 'tap';
import { PAGES, projectRoutes } from './pages.ts';

t.test('every page of the console is in the pictures', async (t) => {
  t.same(projectRoutes().toSorted(), Object.keys(PAGES).toSorted(), 'each route has a row in test/console/pages.ts');
});
