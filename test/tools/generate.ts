/**
 * `node test/tools/generate.ts [--check]`: turns `plugins/<wing>/<id>/schema/<name>.schema.json` into
 * `plugins/<wing>/<id>/generated/<name>.ts`. With `--check` it writes nothing and exits 1 naming what is stale.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

const HEAD = '// Generated from the JSON Schema of the same name (npm run generate). Do not edit.\n';

export interface Generated {
  /** Relative to the folder that was given. */
  path: string;
  text: string;
}

/** What the schema files of every plugin below `root` come to. */
export async function generate(root: string): Promise<Generated[]> {
  const sources = globSync('plugins/*/*/schema/*.schema.json', { cwd: root }).sort();
  return Promise.all(
    sources.map(async (source) => {
      const name = basename(source, '.schema.json');
      const imports = new Set<string>();
      const schema = named(root, source, readSchema(join(root, source)), imports) as JSONSchema;
      const text = await compile(schema, String(schema.title ?? name), {
        bannerComment: [HEAD, ...[...imports].sort()].join('\n'),
        cwd: join(root, dirname(source)),
        additionalProperties: false,
        unknownAny: true,
        format: true,
        style: { singleQuote: true, printWidth: 120 },
      });
      return { path: join(dirname(dirname(source)), 'generated', `${name}.ts`), text };
    }),
  );
}

const readSchema = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

/** A copy in which references to other schema files are the names of their types; notes what has to be imported. */
function named(root: string, source: string, value: unknown, imports: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => named(root, source, item, imports));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  if (typeof $ref === 'string' && $ref.endsWith('.schema.json')) {
    const path = join(dirname(source), $ref);
    const title = String(readSchema(join(root, path)).title);
    const [own, owner] = [source, path].map((file) => dirname(dirname(file)));
    const contract = relative(join(own!, 'generated'), join(owner!, 'contract.ts'));
    const from = owner === own ? `./${basename($ref, '.schema.json')}.ts` : contract;
    imports.add(`import type { ${title} } from '${from}';\n`);
    return { tsType: title, description: rest.description };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, named(root, source, item, imports)]));
}

/** Files that differ from what the schemas say, and files whose schema is gone. */
export function stale(root: string, wanted: readonly Generated[]): { changed: Generated[]; orphaned: string[] } {
  const present = globSync('plugins/*/*/generated/*.ts', { cwd: root });
  const names = new Set(wanted.map(({ path }) => path));
  return {
    changed: wanted.filter(
      ({ path, text }) => !present.includes(path) || readFileSync(join(root, path), 'utf8') !== text,
    ),
    orphaned: present.filter((path) => !names.has(path)).sort(),
  };
}

async function main(root: string, check: boolean): Promise<void> {
  const wanted = await generate(root);
  const { changed, orphaned } = stale(root, wanted);
  if (check) {
    for (const path of [...changed.map((file) => file.path), ...orphaned])
      process.stderr.write(`${path} is stale: run \`npm run generate\`\n`);
    process.exitCode = changed.length + orphaned.length > 0 ? 1 : 0;
    return;
  }
  for (const { path, text } of changed) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
    process.stdout.write(`${path}\n`);
  }
  for (const path of orphaned) rmSync(join(root, path));
}

if (import.meta.main) await main(resolve(import.meta.dirname, '../..'), process.argv.includes('--check'));
