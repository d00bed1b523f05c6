import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import ts from 'typescript';
import t from 'tap';

/** Style as a test: what dependency-cruiser and the linters cannot say. */
const tracked = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .stdout.split('\n')
  .filter((path) => path !== '');
const read = (path: string) => readFileSync(path, 'utf8');
const present = tracked.filter((path) => spawnSync('test', ['-f', path]).status === 0);
const sources = present.filter((path) => /\.(ts|mts|mjs)$/.test(path) && !path.includes('/generated/'));
const product = sources.filter(
  (path) => /^(kernel|plugins|cli)\//.test(path) && !/\.test\.ts$|testsuite\.ts$|\/testing\/|test-server/.test(path),
);

/** Lines of a file, and of the longest function in it. */
const MOST_LINES = 300;
const MOST_FUNCTION_LINES = 60;

function longFunctions(path: string): string[] {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const [from, to] = [node.getStart(), node.getEnd()].map((at) => file.getLineAndCharacterOfPosition(at).line);
      if (to! - from! + 1 > MOST_FUNCTION_LINES) found.push(`${path}:${from! + 1} (${to! - from! + 1} lines)`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

t.test('files and functions keep their size', async (t) => {
  t.same(
    product.filter((path) => read(path).split('\n').length > MOST_LINES + 1),
    [],
    `no file over ${MOST_LINES} lines`,
  );
  t.same(
    product.filter((path) => path.endsWith('.ts')).flatMap(longFunctions),
    [],
    `no function over ${MOST_FUNCTION_LINES} lines`,
  );
});

t.test('names say what things are', async (t) => {
  t.same(
    sources.filter((path) => !/^[a-z0-9][a-z0-9.-]*$/.test(basename(path))),
    [],
    'kebab-case',
  );
  t.same(
    sources.filter((path) => /(^|\/|-)(utils?|common|manager|helpers?|misc)(\.|-|\/)/.test(path)),
    [],
  );
});

t.test('nothing is left undone, and nothing tells of a machine', async (t) => {
  const text = present.filter(
    (path) =>
      /\.(ts|mjs|c|h|py|sh|feature|md|json|svg)$/.test(path) && !/^(package-lock\.json|test\/arch\/)/.test(path),
  );
  const holding = (pattern: RegExp) => text.filter((path) => pattern.test(read(path)));
  t.same(holding(/\b(TODO|FIXME|XXX|HACK)\b/), []);
  t.same(holding(/(^|[^A-Za-z])\/(work|farm|root)\//m), []);
  t.notMatch(read('package-lock.json'), /"resolved"/);
  t.same(
    present.filter((path) => path.startsWith('connectors/') && !/\.(json|md)$/.test(path)),
    [],
    'connectors are data',
  );
});

/** Plugins that bind one of the kernel's own contracts: needed without being imported. */
const providers = present
  .filter((one) => /^plugins\/[^/]+\/plugin\.json$/.test(one))
  .map((one) => JSON.parse(read(one)) as { id: string; provides: string[] })
  .filter(({ provides }) => provides.some((name) => name.startsWith('kernel.')))
  .map(({ id }) => id);

t.test('a plugin requires exactly the plugins that it imports', async (t) => {
  for (const path of present.filter((one) => /^plugins\/[^/]+\/plugin\.json$/.test(one))) {
    const folder = path.replace('plugin.json', '');
    const { id, requires } = JSON.parse(read(path)) as { id: string; requires: string[] };
    const imported = new Set(
      product
        .filter((one) => one.startsWith(folder))
        .flatMap((one) =>
          [...read(one).matchAll(/from '(?:\.\.\/)+(?:plugins\/)?([a-z-]+)\/contract\.ts'/g)].map(
            ([, other]) => other!,
          ),
        ),
    );
    imported.delete(id);
    const named = requires.filter((other) => imported.has(other) || !providers.includes(other));
    t.same([...imported].sort(), named.sort(), `${folder} imports what it requires`);
  }
});

t.test('only what composes a process reads its environment', async (t) => {
  const readers = product.filter((path) => /[^`]process\.env\b/.test(read(path)) && !path.endsWith('.mjs'));
  t.same(
    readers.filter((path) => !/^cli\/|^kernel\/boot\/|native\/measure\.ts$/.test(path)),
    [],
  );
});
