import t from 'tap';
import { addressOf, MAX_PICTURE_BYTES, MAX_SHOWN_BYTES, sizeText, viewOf } from './artifact-view.ts';

t.test('what is shown in the page', async (t) => {
  t.equal(viewOf({ path: 'dist/app.TXT', size: 3 }), 'text');
  t.equal(viewOf({ path: 'docs/README', size: 3 }), 'text');
  t.equal(viewOf({ path: 'page.html', size: 3 }), 'text', 'as its source');
  t.equal(viewOf({ path: 'a.md', size: 3 }), 'markdown');
  t.equal(viewOf({ path: 'a.txt', size: MAX_SHOWN_BYTES + 1 }), undefined);
  t.equal(viewOf({ path: 'shot.PNG', size: MAX_SHOWN_BYTES + 1 }), 'picture');
  t.equal(viewOf({ path: 'shot.png', size: MAX_PICTURE_BYTES + 1 }), undefined);
  t.equal(viewOf({ path: 'drawing.svg', size: 3 }), 'text', 'as its source, for it may hold a program');
  for (const path of ['a.tar.gz', 'app', 'txt', 'a.exe']) t.equal(viewOf({ path, size: 3 }), undefined, path);
});

t.test('addresses and sizes', async (t) => {
  t.equal(addressOf('/x/artifacts', 'dist/a b?#%.txt'), '/x/artifacts/dist/a%20b%3F%23%25.txt');
  t.same([0, 1023, 1024, 1536 * 1024, 5 * 1024 ** 4].map(sizeText), [
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '1.5 MiB',
    '5120.0 GiB',
  ]);
});
