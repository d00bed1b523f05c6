import { readFileSync, statSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import t from 'tap';
import { needs } from '../kit/needs.ts';

/** Style as a test: what dependency-cruiser and the linters cannot say. */
const git = needs('git');
const listed = ['ls-files', '--cached', '--others', '--exclude-standard'];
const tracked = git.skip === undefined ? execFileSync('git', listed, { encoding: 'utf8' }).split('\n') : [];
const read = (path: string) => readFileSync(path, 'utf8');
const present = tracked.filter((path) => path !== '' && statSync(path, { throwIfNoEntry: false })?.isFile());
const sources = present.filter((path) => /\.(ts|mts|mjs)$/.test(path) && !path.includes('/generated/'));
const product = sources.filter(
  (path) => /^(kernel|plugins|cli)\//.test(path) && !/\.test\.ts$|testsuite\.ts$|\/testing\//.test(path),
);

t.test('the kernel is boot, registry and contracts; all else belongs to a plugin', git, async (t) => {
  const kernel = product.filter((path) => path.startsWith('kernel/'));
  t.same([...new Set(kernel.map((path) => path.split('/')[1]))].sort(), ['boot', 'contracts', 'registry']);
});

t.test('no process loads the client behind `WebSocket` of node:http', git, async (t) => {
  // A value import evaluates every export of a built-in module: 10 MB, and 30 ms of each command.
  const importing = product.filter((path) => /^import (?!type ).* from '(?:node:)?http';$/m.test(read(path)));
  t.same(importing, [], "types by `import type`, values by process.getBuiltinModule('node:http')");
});

t.test('names say what things are', git, async (t) => {
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

t.test('nothing is left undone, and nothing tells of a machine', git, async (t) => {
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
  .filter((one) => /^plugins\/[^/]+\/[^/]+\/plugin\.json$/.test(one))
  .map((one) => JSON.parse(read(one)) as { id: string; provides: string[] })
  .filter(({ provides }) => provides.some((name) => name.startsWith('kernel.')))
  .map(({ id }) => id);

t.test('a plugin requires exactly the plugins that it imports', git, async (t) => {
  for (const path of present.filter((one) => /^plugins\/[^/]+\/[^/]+\/plugin\.json$/.test(one))) {
    const folder = path.replace('plugin.json', '');
    const { id, requires } = JSON.parse(read(path)) as { id: string; requires: string[] };
    const imported = new Set(
      product
        .filter((one) => one.startsWith(folder) && !one.startsWith(`${folder}cli/`))
        .flatMap((one) =>
          [...read(one).matchAll(/from '(?:\.\.\/)+(?:plugins\/)?(?:[a-z]+\/)?([a-z-]+)\/contract\.ts'/g)].map(
            ([, other]) => other!,
          ),
        ),
    );
    imported.delete(id);
    const named = requires.filter((other) => imported.has(other) || !providers.includes(other));
    t.same([...imported].sort(), named.sort(), `${folder} imports what it requires`);
  }
});

t.test('only what composes a process reads its environment', git, async (t) => {
  const readers = product.filter((path) => /[^`]process\.env\b/.test(read(path)) && !path.endsWith('.mjs'));
  // The starters are programs for others, as text. The guard wipes secrets.
  t.same(
    readers.filter(
      (path) => !/^cli\/|^kernel\/boot\/|native\/(measure|guard-process)\.ts$|handlers\/cli\/starters\.ts$/.test(path),
    ),
    [],
  );
});

t.test('statements of a plugin stand in its store and its migrations', git, async (t) => {
  const statement = /[`'"](SELECT|INSERT INTO|UPDATE|DELETE FROM) /;
  // The database itself, and the statements that all named resources and all prunable records share.
  const makers = /^plugins\/platform\/(database\/|retention\/contract\.ts$|resources\/contract\/named-table\.ts$)/;
  const outside = product.filter((path) => path.startsWith('plugins/') && !/\/(store|migrations)\//.test(path));
  t.same(
    outside.filter((path) => !makers.test(path) && statement.test(read(path))),
    [],
  );
});

t.test('rows are locked by one function, which also writes them', git, async (t) => {
  const locking = /\bFOR\s+(UPDATE|SHARE)\b|LOCK\s+IN\s+SHARE\s+MODE|\bGET_LOCK\b/i;
  const bare = product.filter((path) => path.endsWith('.ts') && path !== 'plugins/platform/database/mysql/session.ts');
  t.same(
    bare.filter((path) => locking.test(read(path))),
    [],
  );
  t.match(read('plugins/platform/database/mysql/session.ts'), locking, 'the pattern knows a lock when it sees one');
});

t.test('what is needed everywhere is written once', git, async (t) => {
  const elsewhere = (pattern: RegExp, home: RegExp) =>
    product.filter((path) => path.endsWith('.ts') && !home.test(path) && pattern.test(read(path)));
  t.same(elsewhere(/\.keys\(\)\.next\(\)/, /^$/), [], 'a bounded map is a BoundedMap');
  t.same(elsewhere(/\.toISOString\(\)/, /^kernel\/contracts\/time\.ts$/), [], 'a time as text is made by iso()');
});

t.test('a migration is one call of migration() in a file of its name', git, async (t) => {
  const files = product.filter((path) => /\/migrations\/(?!index\.ts$)/.test(path));
  t.same(
    files.filter((path) => !read(path).includes(` = migration('${basename(path, '.ts')}', `)),
    [],
  );
});

t.test('a new named resource is one small folder', git, async (t) => {
  const files = present.filter((path) => path.startsWith('test/plugins/notes/') && !path.endsWith('.md'));
  const lines = files.flatMap((path) => read(path).trimEnd().split('\n'));
  t.ok(lines.length > 0 && lines.length < 120, `notes has ${lines.length} lines`);
});
