/**
 * `node test/tools/generate-api.ts [--check]`: writes cli/generated/api.ts, the types of what the API answers, from the
 * OpenAPI document of all built-in plugins. With `--check` it writes nothing and exits 1 when the file is stale.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { type Document, readOpenapi } from './openapi.ts';

const HEAD = '// Generated from the OpenAPI document (npm run generate). Do not edit.\n';
const PREFIX = '#/components/schemas/';
const home = resolve(import.meta.dirname, '../..');

/** The names of the schemas that answers refer to, and of those that these refer to. */
function answered({ paths, components: { schemas } }: Document): string[] {
  const responses = Object.values(paths).flatMap((item) => Object.values(item).map((one) => one.responses));
  const names = new Set(referred(responses));
  // A set also goes on to what is added on the way.
  for (const name of names) for (const further of referred(schemas[name])) names.add(further);
  return [...names].sort();
}

const referred = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)].map(([, name]) => name!);

interface Known {
  name: string;
  /** Of its type, as seen from cli/generated. */
  file: string;
  members: string;
}

const membersOf = (schema: object): string =>
  Object.keys((schema as { properties?: object }).properties ?? {})
    .sort()
    .join();

/** The schemas that have a generated type already, by title. */
function known(): Map<string, Known> {
  const found = globSync('plugins/*/*/schema/*.schema.json', { cwd: home }).map((path) => {
    const schema = JSON.parse(readFileSync(join(home, path), 'utf8')) as { title: string };
    const file = join('../..', dirname(dirname(path)), 'generated', `${basename(path, '.schema.json')}.ts`);
    return [schema.title, { name: schema.title, file, members: membersOf(schema) }] as const;
  });
  return new Map(found);
}

/** Puts the type that there is in place of a schema of that title and with those members; notes which were used. */
function refer(value: unknown, types: Map<string, Known>, used: Map<string, Known>): unknown {
  if (Array.isArray(value)) return value.map((one) => refer(one, types, used));
  if (typeof value !== 'object' || value === null) return value;
  const type = types.get(String((value as { title?: unknown }).title));
  if (type && type.members === membersOf(value)) {
    used.set(type.name, type);
    return { tsType: type.name };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refer(member, types, used)]));
}

async function generate(document: Document): Promise<string> {
  const { schemas } = document.components;
  const [types, used] = [known(), new Map<string, Known>()];
  const named = answered(document).map((name) => {
    const schema = refer(schemas[name], types, used) as object;
    return [name, 'tsType' in schema ? schema : { ...schema, title: name }] as const;
  });
  const root = {
    title: 'Answers',
    description: 'Every answer of the API, by the name of its schema.',
    type: 'object',
    additionalProperties: false,
    required: named.map(([name]) => name),
    properties: Object.fromEntries(named.map(([name]) => [name, { $ref: `${PREFIX}${name}` }])),
    components: { schemas: Object.fromEntries(named) },
  };
  const sorted = [...used.values()].sort((a, b) => a.file.localeCompare(b.file));
  const imports = sorted.map(({ name, file }) => `import type { ${name} } from '${file}';`).join('\n');
  const exports = `export type { ${[...used.keys()].sort().join(', ')} };`;
  return compile(root as never, 'Answers', {
    bannerComment: `${HEAD}${imports}\n\n${exports}\n`,
    additionalProperties: false,
    unknownAny: true,
    strictIndexSignatures: true,
    format: true,
    style: { singleQuote: true, printWidth: 120 },
  });
}

const path = join(home, 'cli/generated/api.ts');
const text = await generate(await readOpenapi());
const fresh = existsSync(path) && readFileSync(path, 'utf8') === text;
if (process.argv.includes('--check')) {
  if (!fresh) process.stderr.write('cli/generated/api.ts is stale: run `npm run generate`\n');
  process.exitCode = fresh ? 0 : 1;
} else if (!fresh) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
