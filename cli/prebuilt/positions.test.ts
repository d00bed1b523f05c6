import t from 'tap';
import { tableOf } from './positions.mjs';

t.test('code of another source has its own entry, also where the lines have the same number', async (t) => {
  // Two mappings of one line of the file: to the first line of the first source, and then of the second.
  const table = tableOf({ mappings: 'AAAA,ECAA', widened: new Map() });
  t.same([...table], [...[0, 0, 0, 0, 0], ...[0, 2, 1, 0, 0]]);
});

t.test('a statement of the same line has none', async (t) => {
  t.same([...tableOf({ mappings: 'AAAA,EAAE', widened: new Map() })], [0, 0, 0, 0, 0]);
});
