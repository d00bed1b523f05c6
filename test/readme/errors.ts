import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCatalogue } from '../../kernel/contracts/index.ts';
import { clone } from '../../features/support/target.ts';

/** Loads every errors.ts and contract.ts of kernel and plugins, then writes what they declared as a table. */
export async function errorTable(): Promise<string> {
  for await (const file of glob('{kernel,plugins}/**/{errors,contract}.ts', { cwd: clone }))
    await import(pathToFileURL(join(clone, file)).href);
  const rows = errorCatalogue().map(
    ({ code, status, title, next }) => `| \`${code}\` | ${status} | ${title} ${next} |`,
  );
  return `| Code | Status | What it means, and what to do |\n|---|---|---|\n${rows.map((row) => row.replaceAll('\n', ' ')).join('\n')}\n`;
}
