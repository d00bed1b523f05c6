import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Invocation } from './command.ts';
import { CliError, Exit, usageError } from './errors.ts';
import { openInRoot, workflowRoot, type WorkflowRoot } from './root.ts';
import { parseExact } from '../plugins/schema/contract/exact-json.ts';
import { isKeyValue, readKeyValue } from '../plugins/schema/contract/key-value.ts';

type Source = Pick<Invocation, 'stdin'>;

export async function readAll(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

/** More is no document; the server says by how much one of a little more is too large. */
const MAX_DOCUMENT = 4 * 1024 * 1024;

/** What a command line, and no file, may name that belongs to a process and not to a folder: `<(command)`, `/dev/stdin`. */
const OF_A_PROCESS = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** A file that has to lie in the folder of its workflow, and the name that its author gave it. */
interface Confined {
  root: WorkflowRoot;
  named: string;
}

/**
 * The bytes of a file, which may be no plain one. `refused` makes the error of one that cannot be read, from the reason.
 * Throws `include_outside` for a confined one that lies elsewhere.
 */
export async function readBounded(
  path: string,
  refused: (reason: string) => CliError,
  confined?: Confined,
): Promise<Buffer> {
  try {
    const stream = confined ? await openInRoot(confined.root, path, confined.named) : createReadStream(path);
    return await bounded(stream, path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw refused(code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message);
  }
}

async function bounded(stream: AsyncIterable<unknown>, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > MAX_DOCUMENT)
      throw new CliError(
        Exit.failed,
        'payload_too_large',
        `${what} has more than ${MAX_DOCUMENT} bytes; the limit of a document is 1048576`,
        'keep large data in a file of its own that the program reads',
      );
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/**
 * The text of a file, or standard input for `-`. Throws a usage error with the path and the reason, and `include_outside`
 * for a link that leads out of the root, by default out of the folder that it lies in.
 */
export async function readDocument(
  path: string,
  { stdin }: Source,
  what: 'workflow' | 'event' = 'workflow',
  root?: WorkflowRoot,
): Promise<{ filename: string | undefined; source: string }> {
  const refused = (reason: string) =>
    usageError(`cannot read ${path}: ${reason}`, `give the path of the file of the ${what}, or - for standard input`);
  const confined = async () =>
    OF_A_PROCESS.test(path) ? undefined : { root: root ?? (await ownFolder(path)), named: path };
  const bytes =
    path === '-' ? await bounded(stdin, 'standard input') : await readBounded(path, refused, await confined());
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { filename: path === '-' ? undefined : basename(path), source };
  } catch {
    throw usageError(`${path} is not UTF-8 text`, `the file of the ${what} is a text; save it as UTF-8`);
  }
}

/** Commands that take one file have no --root. */
async function ownFolder(path: string): Promise<WorkflowRoot> {
  return { ...(await workflowRoot(path)), next: 'name the file itself, and not a link to it' };
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
    return parseExact(text);
  } catch (error) {
    throw usageError(
      `--${name} is not JSON: ${(error as Error).message}`,
      `put JSON strings in double quotes inside single quotes: --${name} '"text"'${name === 'input' ? '; or write --input k=text k:=json, @file or -' : ''}`,
    );
  }
}

/** An input: `k=v` and `k:=json` make an object; else JSON, `@file` or `-` for standard input. */
export async function readInput(given: readonly string[], name: string, source: Source): Promise<unknown> {
  const [first = ''] = given;
  if (given.every(isKeyValue)) return Object.fromEntries(given.map((pair) => memberOf(pair, name)));
  if (given.length > 1)
    throw usageError(
      `--${name} is given ${given.length} times`,
      `several are members of one object, --${name} k=v k:=json; JSON, @file and - stand alone`,
    );
  if (first.startsWith('@')) return await readJsonFile(first.slice(1), name);
  return await readJson(first, name, source);
}

function memberOf(pair: string, name: string): [string, unknown] {
  const { key, value, fault } = readKeyValue(pair);
  if (fault === undefined) return [key, value];
  throw usageError(
    fault === 'key' ? `--${name} "${pair}" has no key` : `--${name} ${key}:= is not followed by JSON`,
    `write --${name} k=text or --${name} k:=json`,
  );
}

async function readJsonFile(path: string, name: string): Promise<unknown> {
  const bytes = await readBounded(path, (reason) =>
    usageError(`cannot read ${path}: ${reason}`, `--${name} @file reads JSON from a file`),
  );
  try {
    return parseExact(bytes.toString());
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}`, `--${name} @file reads JSON from a file`);
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
