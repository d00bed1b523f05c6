import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { generate, stale } from './generate.ts';

t.test('types are generated from the schemas of plugins', async (t) => {
  const root = t.testdir({
    plugins: {
      wing: {
        one: {
          schema: {
            'thing.schema.json': JSON.stringify({
              title: 'ThingBody',
              type: 'object',
              additionalProperties: false,
              required: ['name'],
              properties: { name: { type: 'string' }, any: {} },
            }),
          },
        },
      },
    },
  });
  const [thing, ...rest] = await generate(root);
  t.equal(rest.length, 0);
  t.equal(thing?.path, join('plugins', 'wing', 'one', 'generated', 'thing.ts'));
  t.match(thing?.text, /export interface ThingBody \{\n {2}name: string;\n {2}any\?: unknown;\n\}/);
  t.equal(stale(root, [thing!]).changed.length, 1, 'not there yet');
  mkdirSync(join(root, 'plugins/wing/one/generated'));
  writeFileSync(join(root, thing!.path), thing!.text);
  writeFileSync(join(root, 'plugins/wing/one/generated/gone.ts'), '');
  t.same(stale(root, [thing!]), { changed: [], orphaned: [join('plugins', 'wing', 'one', 'generated', 'gone.ts')] });
});

t.test('a reference to another schema file becomes an import of its type', async (t) => {
  const part = JSON.stringify({ title: 'Part', type: 'object', properties: { name: { type: 'string' } } });
  const whole = (path: string) =>
    JSON.stringify({ title: 'Whole', type: 'object', allOf: [{ $ref: path }], properties: { at: { type: 'string' } } });
  const root = t.testdir({
    plugins: {
      lower: { one: { schema: { 'part.schema.json': part, 'whole.schema.json': whole('part.schema.json') } } },
      upper: { two: { schema: { 'whole.schema.json': whole('../../../lower/one/schema/part.schema.json') } } },
    },
  });
  const [, near, far] = await generate(root);
  t.match(near!.text, /import type \{ ?Part ?\} from '\.\/part\.ts';/);
  t.match(far!.text, /import type \{ ?Part ?\} from '\.\.\/\.\.\/\.\.\/lower\/one\/contract\.ts';/);
  t.match(far!.text, /export type Whole = Part & \{\n {2}at\?: string;\n\};/);
});

t.test('without any schema there is nothing to do', async (t) => t.same(await generate(t.testdir({})), []));

t.test('the generated files of this project are fresh', async (t) => {
  const script = join(import.meta.dirname, 'generate.ts');
  const before = readFileSync(script, 'utf8');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  t.equal(stderr, '');
  t.equal(status, 0);
  t.equal(readFileSync(script, 'utf8'), before);
});
