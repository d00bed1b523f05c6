import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import { textOf } from './docs.ts';

const texts = (pages: Record<string, string>) => ({
  plugins: { operations: { docs: { dist: { 'texts.json.br': brotliCompressSync(JSON.stringify(pages)) } } } },
});

t.test('in a clone the page is what its file says now', async (t) => {
  const clone = t.testdir({
    docs: { 'scripts.md': '# Scripts of today\n' },
    ...texts({ scripts: '# Scripts of yesterday\n', 'cli/run': '# Run\n' }),
  });
  t.equal(await textOf({ topic: 'scripts', source: 'docs/scripts.md' }, clone), '# Scripts of today\n');
  t.equal(await textOf({ topic: 'cli/run' }, clone), '# Run\n', 'a generated page is only on the site');
});

t.test('the package has the pages of the site alone', async (t) => {
  const home = t.testdir(texts({ scripts: '# Scripts\n' }));
  t.equal(await textOf({ topic: 'scripts', source: 'docs/scripts.md' }, home), '# Scripts\n');
});

t.test('a page that was not built says how to build it', async (t) => {
  await t.rejects(textOf({ topic: 'cli/run' }, t.testdir({})), { code: 'docs_not_built', next: /npm run docs/ });
});
