/**
 * `node kernel/schema/generate.ts [--check]`: turns `plugins/<id>/schema/<name>.schema.json` into
 * `plugins/<id>/generated/<name>.ts`. With `--check` it writes nothing and exits 1 naming what is stale.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { compile } from 'json-schema-to-typescript';

const HEAD = '// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.\n';

export interface Generated {
  /** Relative to the folder that was given. */
  path: string;
  text: string;
}

/** What the schema files of every plugin below `root` come to. */
export async function generate(root: string): Promise<Generated[]> {
  const sources = globSync('plugins/*/schema/*.schema.json', { cwd: root }).sort();
  return Promise.all(
    sources.map(async (source) => {
      const schema = JSON.parse(readFileSync(join(root, source), 'utf8')) as Record<string, unknown>;
      const name = basename(source, '.schema.json');
      const text = await compile(schema, String(schema.title ?? name), {
        bannerComment: HEAD,
        cwd: join(root, dirname(source)),
        additionalProperties: false,
        unknownAny: true,
        strictIndexSignatures: true,
        format: true,
        style: { singleQuote: true, printWidth: 120 },
      });
      return { path: join(dirname(dirname(source)), 'generated', `${name}.ts`), text };
    }),
  );
}

/** Files that differ from what the schemas say, and files whose schema is gone. */
export function stale(root: string, wanted: readonly Generated[]): { changed: Generated[]; orphaned: string[] } {
  const present = globSync('plugins/*/generated/*.ts', { cwd: root });
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
      process.stderr.write(`${path} is stale: run \`node kernel/schema/generate.ts\`\n`);
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
