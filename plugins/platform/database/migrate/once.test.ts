import { createRequire } from 'node:module';
import t from 'tap';
import { loadUncached } from './once.ts';

t.test('a library that is needed once is let go of, with all that it has loaded', async (t) => {
  const { cache } = createRequire(import.meta.url);
  const before = Object.keys(cache);
  const { library, unload } = loadUncached('umzug');
  t.type((library as typeof import('umzug')).Umzug, 'function');
  t.ok(Object.keys(cache).length > before.length + 50);
  unload();
  t.same(Object.keys(cache), before, 'what was there before stays');
  t.not(loadUncached('umzug').library, library, 'who asks again gets it anew');
});
