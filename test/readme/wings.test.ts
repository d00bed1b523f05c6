import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/**
 * Each wing has a README of one screen: hand-written sentences, then a table and a picture that are made from the manifests.
 * `SVC_WRITE_README=1 node test/readme/wings.test.ts` writes what is stale.
 */
const clone = join(import.meta.dirname, '../..');
const BEGIN = '<!-- Generated from the manifests by test/readme/wings.test.ts. -->';
const END = '<!-- End of the generated part. -->';

interface Manifest {
  id: string;
  summary: string;
  requires: string[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(clone, path), 'utf8'));
const { wings } = readJson('plugins/wings.json') as { wings: { name: string; about: string }[] };

const manifests = globSync('plugins/*/*/plugin.json', { cwd: clone })
  .sort()
  .map((path) => ({ wing: path.split('/')[1]!, ...(readJson(path) as Manifest) }));
const wingOf = new Map(manifests.map(({ id, wing }) => [id, wing]));

/** An arrow leads from a plugin to one that it requires; what the wing uses of those below it is one arrow for each. */
function picture(wing: string): string {
  const members = manifests.filter((plugin) => plugin.wing === wing);
  const required = members.flatMap(({ id, requires }) => requires.map((other) => [id, other] as const));
  const inside = required
    .filter(([, other]) => wingOf.get(other) === wing)
    .map(([id, other]) => `    ${id} --> ${other}`);
  const below = wings.filter(({ name }) => name !== wing && required.some(([, other]) => wingOf.get(other) === name));
  return [
    '```mermaid',
    'flowchart TD',
    `  subgraph ${wing}`,
    ...members.map(({ id }) => `    ${id}`),
    ...inside.sort(),
    '  end',
    ...below.map(({ name }) => `  ${wing} --> below_${name}[${name}]`),
    '```',
  ].join('\n');
}

function table(wing: string): string {
  const rows = manifests
    .filter((plugin) => plugin.wing === wing)
    .map(({ id, summary }) => `| [${id}](${id}/README.md) | ${summary} |`);
  return ['| Plugin | What it does |', '| --- | --- |', ...rows].join('\n');
}

const made = (wing: string): string => [BEGIN, '', table(wing), '', picture(wing), '', END].join('\n');

t.test('the README of each wing shows its plugins as their manifests describe them', async (t) => {
  for (const { name } of wings) {
    const path = join(clone, 'plugins', name, 'README.md');
    const text = readFileSync(path, 'utf8');
    const [before = '', rest = ''] = text.split(BEGIN);
    const after = rest.split(END)[1] ?? '';
    const fresh = `${before}${made(name)}${after}`;
    if (process.env.SVC_WRITE_README === '1') writeFileSync(path, fresh);
    else t.equal(text, fresh, `plugins/${name}/README.md is stale: run it with SVC_WRITE_README=1`);
    t.ok(fresh.split('\n').length <= 70, `plugins/${name}/README.md is one screen`);
  }
});

t.test('a plugin that is in no wing is found', async (t) => {
  const names = wings.map(({ name }) => name);
  const folders = globSync('plugins/**/plugin.json', { cwd: clone, exclude: (path) => path === 'node_modules' });
  t.same(
    folders.filter((path) => !names.includes(path.split('/')[1]!) || path.split('/').length !== 4),
    [],
  );
});
