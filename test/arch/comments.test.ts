import { globSync, readFileSync } from 'node:fs';
import t from 'tap';

/** Names of other systems, and names that the code puts together. */
const NOT_DECLARED = new Set(
  'ExportTraceServiceRequest EventHook EventHooks putEventHook SO_REUSEPORT moduleLoadList'.split(' '),
);
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
/** A name of several words, such as `onEnd`, `RunStore`, `MAX_SLOTS` or `lease_ms`; a single word may be prose. */
const NAME = /^[#A-Za-z]\w*(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9])\w*$/;

const exclude = (path: string): boolean =>
  /(^|\/)(node_modules|dist|generated)$/.test(path) || path.startsWith('test/arch');
const find = (pattern: string): string[] => globSync(pattern, { exclude }).toSorted();
const read = (path: string): string => readFileSync(path, 'utf8');

const sources = find('{cli,docs,kernel,plugins,test}/**/*.{ts,tsx,mjs}');
const declared = new Set<string>();
for (const path of sources) for (const name of read(path).replace(COMMENT, ' ').match(/\w+/g) ?? []) declared.add(name);
for (const path of find('{cli,connectors,kernel,plugins,test}/**/*.{c,h,py,json,css,sh,yaml}'))
  for (const name of read(path).match(/\w+/g) ?? []) declared.add(name);

/** The names in backticks that occur nowhere in the code. */
const unknownNames = (text: string): string[] =>
  [...text.matchAll(/`([#\w.]+)(?:\([^`]*\))?`/g)]
    .flatMap(([, name]) => name!.split('.'))
    .filter((name) => NAME.test(name) && !declared.has(name.replace('#', '')) && !NOT_DECLARED.has(name));

t.test('what a comment names is in the code', async (t) => {
  t.same(unknownNames('`goneLongAgo` of `Database.readNoMore(id)`, `prose` and `Database`'), [
    'goneLongAgo',
    'readNoMore',
  ]);
  for (const path of sources) {
    const unknown = [...read(path).matchAll(COMMENT)].flatMap(([comment]) => unknownNames(comment));
    if (unknown.length > 0) t.fail(`${path}: ${unknown.join(', ')}`);
  }
});

t.test('what the README of a plugin names is in the code', async (t) => {
  for (const path of find('plugins/*/*/README.md')) {
    const unknown = unknownNames(read(path).replace(/^```[\s\S]*?^```/gm, ''));
    if (unknown.length > 0) t.fail(`${path}: ${unknown.join(', ')}`);
  }
});
