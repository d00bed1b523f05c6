import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Invocation } from './command.ts';
import { usageError } from './errors.ts';

type Source = Pick<Invocation, 'stdin'>;

export async function readAll(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

/** The text of a file, or standard input for `-`. Throws a usage error with the path and the reason. */
export async function readDocument(
  path: string,
  { stdin }: Source,
): Promise<{ filename: string | undefined; source: string }> {
  const bytes =
    path === '-'
      ? await readAll(stdin)
      : await readFile(path).catch((error: NodeJS.ErrnoException) => {
          const reason =
            error.code === 'ENOENT'
              ? 'there is no such file'
              : error.code === 'EISDIR'
                ? 'it is a folder'
                : error.message;
          throw usageError(
            `cannot read ${path}: ${reason}`,
            'give the path of a workflow file, or - for standard input',
          );
        });
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { filename: path === '-' ? undefined : basename(path), source };
  } catch {
    throw usageError(`${path} is not UTF-8 text`, 'a workflow is a text file; save it as UTF-8');
  }
}

/**
 * Reads a secret: `-` means standard input and `@file` a file, without the final line break. A literal works with a
 * warning, because other users can see it. `label` is how the argument is written: `--token`, `<value>`.
 */
export async function readSecret(
  given: string,
  label: string,
  source: Source & Pick<Invocation, 'output'>,
): Promise<string> {
  if (given === '-') return secretText(await readAll(source.stdin), 'standard input', label);
  if (given.startsWith('@')) {
    const path = given.slice(1);
    const bytes = await readFile(path).catch((error: Error) => {
      throw usageError(`cannot read ${path}: ${error.message}`, `${label} must be - or @file`);
    });
    return secretText(bytes, path, label);
  }
  source.output.note(`warning: ${label} is visible in the process list and in your shell's history; use - or @file`);
  return given;
}

/** Replacing an invalid byte would silently change the secret. */
function secretText(bytes: Buffer, from: string, label: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/\r?\n$/, '');
  } catch {
    throw usageError(`${from} is not UTF-8 text`, `${label} must be text; encode other bytes, for example with base64`);
  }
}

/** JSON from a flag, or from standard input for `-`. */
export async function readJson(given: string, name: string, source: Source): Promise<unknown> {
  const text = given === '-' ? (await readAll(source.stdin)).toString('utf8') : given;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageError(
      `--${name} is not JSON: ${(error as Error).message}`,
      `put JSON strings in double quotes inside single quotes: --${name} '"text"'`,
    );
  }
}

/** `K=V` pairs; the value may hold further `=`. */
export function readPairs(given: readonly string[], name: string): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`--${name} "${pair}" is not K=V`, `write --${name} NAME=value`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
