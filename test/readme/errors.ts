import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ErrorDefinition, errorCatalogue } from '../../kernel/contracts/index.ts';
import { clone } from '../../features/support/target.ts';

const HEAD = '// Generated from the definitions of all errors (npm run schema). Do not edit.\n';

const oneLine = (text: string) => text.replaceAll('\n', ' ');

/** What every errors.ts and contract.ts of kernel and plugins declares. */
export async function declared(): Promise<readonly ErrorDefinition[]> {
  for await (const file of glob('{kernel,plugins}/**/{errors,contract}.ts', { cwd: clone }))
    await import(pathToFileURL(join(clone, file)).href);
  return errorCatalogue();
}

/** The module that `svc errors` reads. */
export async function errorModule(): Promise<string> {
  const rows = (await declared()).map(({ code, status, title, next }) =>
    JSON.stringify([code, status, title, next].map((part) => (typeof part === 'string' ? oneLine(part) : part))),
  );
  return `${HEAD}export type ErrorCode = readonly [code: string, status: number, title: string, next: string];

export const ERROR_CODES: readonly ErrorCode[] = [
${rows.map((row) => `  ${row},\n`).join('')}];
`;
}

/** All codes as a table of docs/errors.md. */
export async function errorTable(): Promise<string> {
  const rows = (await declared()).map(
    ({ code, status, title, next }) => `| \`${code}\` | ${status} | ${title} ${next} |`,
  );
  return `| Code | Status | Meaning, and what to do |\n|---|---|---|\n${rows.map(oneLine).join('\n')}\n`;
}
