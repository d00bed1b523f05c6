import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Clock, Log } from '../../../kernel/contracts/index.ts';
import type { Connector, ConnectorCheck } from './contract.ts';
import { FolderWatch } from './service/folder-watch.ts';
import { LiveManifests } from './service/live-manifests.ts';
import { readManifests } from './service/read-manifests.ts';

const log = { warn: () => undefined, info: () => undefined } as unknown as Log;
const noTitle: ConnectorCheck = {
  name: 'test',
  check: ({ manifest }) =>
    manifest.title === 'no' ? [{ pointer: '/title', rule: 'title', message: 'is no', fix: 'change it' }] : [],
};
const builtin: Connector = {
  manifest: { manifest: 'svc-connector/v1', name: 'own', title: 'Own' },
  origin: 'svc',
  builtin: true,
};

const text = (name: string, title = name) => JSON.stringify({ manifest: 'svc-connector/v1', name, title });

/** A folder with a watch of it, which scans only when the test says so. */
async function watched(files: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-folder-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const put = async (name: string, content: string) => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const { connectors } = await readManifests([folder], { may_be_empty: true });
  const manifests = new LiveManifests([builtin, ...connectors.map((one) => ({ ...one, watched: true }))], () => [
    noTitle,
  ]);
  const watch = new FolderWatch({ paths: [folder], manifests, clock: {} as Clock, log });
  const settle = async () => {
    await watch.scan();
    await watch.scan();
  };
  const titles = () => manifests.all().map((one) => one.title);
  return { folder, put, manifests, watch, settle, titles, rules: () => manifests.problems().map(({ rule }) => rule) };
}

t.test('a file is taken when it is complete, and a broken one keeps its last valid version', async (t) => {
  const { put, watch, settle, titles, rules, manifests } = await watched({ 'a/manifest.json': text('a') });
  await watch.scan();
  await put('b.json', text('b').slice(0, 40));
  await settle();
  t.same([titles(), rules()], [['a', 'Own'], ['json']], 'half a file');
  await put('b.json', text('b', 'B one'));
  await watch.scan();
  t.same(titles(), ['a', 'Own'], 'it may still be written');
  await watch.scan();
  t.same([titles(), rules()], [['a', 'B one', 'Own'], []]);
  const before = manifests.connectors();
  await settle();
  t.equal(manifests.connectors(), before, 'nothing has changed');
  await put('b.json', text('b', 'no'));
  await settle();
  t.same([titles(), rules()], [['a', 'B one', 'Own'], ['title']], 'a rule of another plugin');
  t.match(manifests.problems(), [{ file: /^svc-folder-[^/]+\/b\.json$/ }], 'the path of the folder is not shown');
});

t.test('names: of svc, of a copy, of a renamed connector', async (t) => {
  const { folder, put, settle, titles, rules } = await watched({ 'z.json': text('one', 'Original') });
  await put('a.json', text('one', 'Copy'));
  await put('own.json', text('own', 'Takeover'));
  await settle();
  t.same(
    [titles(), rules()],
    [
      ['Original', 'Own'],
      ['name_taken', 'name_taken'],
    ],
  );
  await rm(join(folder, 'z.json'));
  await settle();
  t.same([titles(), rules()], [['Copy', 'Own'], ['name_taken']], 'the copy follows');
  await put('a.json', text('two', 'Two'));
  await settle();
  t.same(titles(), ['Own', 'Two']);
});

t.test('a folder that is missing keeps its connectors, a removed file does not', async (t) => {
  const { folder, settle, titles, watch } = await watched({ 'a.json': text('a'), 'b/manifest.json': text('b') });
  await settle();
  await rename(folder, `${folder}-away`);
  await settle();
  await settle();
  t.same(titles(), ['a', 'b', 'Own']);
  await rename(`${folder}-away`, folder);
  await settle();
  await rm(join(folder, 'b'), { recursive: true });
  await watch.scan();
  t.same(titles(), ['a', 'b', 'Own'], 'a file that is replaced may be missing for a moment');
  await watch.scan();
  t.same(titles(), ['a', 'Own']);
});

t.test('a folder may contain anything else', async (t) => {
  const { folder, put, settle, titles, rules } = await watched();
  await put('package.json', '{"name": "x"}');
  await put('broken.json', '{');
  await put('.hidden.json', text('hidden'));
  await put('large.json', `${text('large').slice(0, -1)},"description":"${'x'.repeat(1024 * 1024)}"}`);
  await symlink('/dev/zero', join(folder, 'zero.json'));
  await symlink(join(folder, 'loop.json'), join(folder, 'loop.json'));
  await put('deep.json', `{"manifest":"svc-connector/v1","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
  await settle();
  t.same(titles(), ['Own']);
  t.same(rules(), ['json', 'too_large']);
  for (let n = 0; n < 1000; n += 1) await put(`many-${n}`, '');
  await put('late.json', text('late'));
  await settle();
  t.same(titles(), ['Own'], 'a folder with too many entries changes nothing');
});
