import t from 'tap';
import { hasWords, readListAddress } from './list-address.ts';

t.test('the address of a list is read, and what is not its own is left out', async (t) => {
  t.same(readListAddress({ find: 12, state: 'paused', make: true, other: 'x' }), {
    find: '12',
    state: 'paused',
    make: true,
  });
  t.same(readListAddress({ find: '', state: 3, make: 'yes' }), {});
});

t.test('every word is looked for, in any of the texts', async (t) => {
  t.ok(hasWords(['nightly', undefined, 'backup.sh'], 'BACK night'));
  t.notOk(hasWords(['nightly'], 'night shift'));
  t.ok(hasWords([], ''));
});
