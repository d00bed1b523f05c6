import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Invocation } from './command.ts';
import { CliError, Exit, usageError } from './errors.ts';
import { openInRoot, workflowRoot, type WorkflowRoot } from './root.ts';
import { parseExact } from '../plugins/platform/schema/contract/exact-json.ts';
import { isKeyValue, readKeyValue } from '../plugins/platform/schema/contract/key-value.ts';

type Source = Pick<Invocation, 'stdin'>;

export async function readAll(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

/** Anything larger is surely no document. Below that, the server tells by how much a document is too large. */
const MAX_DOCUMENT = 4 * 1024 * 1024;

/** Paths that belong to a process and not to a folder, such as `<(command)` and `/dev/stdin`. Only a command line may name them. */
const PROCESS_PATH = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** A file that must lie in the folder of its workflow, and the name that its author gave it. */
interface RootConstraint {
  root: WorkflowRoot;
  name: string;
}

/**
 * Reads the bytes of a file, which may be a pipe. `refused` makes the error for a file that cannot be read, given the reason.
 * Throws `include_outside` for a confined file that lies elsewhere.
 */
export async function readBounded(
  path: string,
  toError: (reason: string) => CliError,
  confined?: RootConstraint,
): Promise<Buffer> {
  try {
    const stream = confined ? await openInRoot(confined.root, path, confined.name) : createReadStream(path);
    return await readLimited(stream, path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw toError(reasonOf(error));
  }
}

/** Why a file cannot be read, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EISDIR' ? 'it is a folder' : message;
}

async function readLimited(stream: AsyncIterable<unknown>, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > MAX_DOCUMENT)
      throw new CliError(
        Exit.failed,
        'payload_too_large',
        `${what} has more than ${MAX_DOCUMENT} bytes; the limit for a document is 1048576`,
        'put large data in a separate file that the program reads',
      );
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads the text of a file, or of standard input for `-`. Throws a usage error with the path and the reason, and
 * `include_outside` for a link that leads out of the root, which defaults to the folder of the file.
 */
export async function readDocument(
  path: string,
  { stdin }: Source,
  what: 'workflow' | 'event' = 'workflow',
  root?: WorkflowRoot,
): Promise<{ filename: string | undefined; source: string }> {
  const unreadable = (reason: string) =>
    usageError(`cannot read ${path}: ${reason}`, `pass the path of the ${what} file, or - for standard input`);
  const confined = async (): Promise<RootConstraint | undefined> =>
    PROCESS_PATH.test(path) ? undefined : { root: root ?? (await documentRoot(path)), name: path };
  const bytes =
    path === '-' ? await readLimited(stdin, 'standard input') : await readBounded(path, unreadable, await confined());
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { filename: path === '-' ? undefined : basename(path), source };
  } catch {
    throw usageError(`${path} is not UTF-8 text`, `the ${what} file must be text; save it as UTF-8`);
  }
}

/** The root for commands that take a single file and have no --root. */
async function documentRoot(path: string): Promise<WorkflowRoot> {
  return { ...(await workflowRoot(path)), next: 'use the file itself, not a link to it' };
}

/**
 * Reads a secret from standard input (`-`) or a file (`@file`), without the final line break. A literal works but prints a
 * warning, because other users can see it. `label` names the argument in messages: `--token`, `<value>`.
 */
export async function readSecret(
  argument: string,
  label: string,
  source: Source & Pick<Invocation, 'output'>,
): Promise<string> {
  if (argument === '-') return secretText(await readAll(source.stdin), 'standard input', label);
  if (argument.startsWith('@')) {
    const path = argument.slice(1);
    const bytes = await readFile(path).catch((error: Error) => {
      throw usageError(`cannot read ${path}: ${error.message}`, `${label} must be - or @file`);
    });
    return secretText(bytes, path, label);
  }
  source.output.note(`warning: ${label} is visible in the process list and in your shell's history; use - or @file`);
  return argument;
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

/** Reads JSON from a flag or from an argument like `<payload>`, or from standard input for `-`. */
export async function readJson(text: string, name: string, source: Source): Promise<unknown> {
  const [label, before] = name.startsWith('<') ? [name, ''] : [`--${name}`, `--${name} `];
  const json = text === '-' ? (await readAll(source.stdin)).toString('utf8') : text;
  try {
    return parseExact(json);
  } catch (error) {
    throw usageError(
      `${label} is not JSON: ${(error as Error).message}`,
      `put JSON strings in double quotes inside single quotes: ${before}'"text"'${name === 'input' ? '; or write --input k=text k:=json, @file or -' : ''}`,
    );
  }
}

/** Reads an input: `k=v` and `k:=json` make an object; otherwise it is JSON, `@file`, or `-` for standard input. */
export async function readInput(values: readonly string[], name: string, source: Source): Promise<unknown> {
  const [first = ''] = values;
  if (values.every(isKeyValue)) return Object.fromEntries(values.map((pair) => memberOf(pair, name)));
  if (values.length > 1)
    throw usageError(
      `--${name} is given ${values.length} times`,
      `to set several members of an object, write --${name} k=v k:=json; JSON, @file and - cannot be combined`,
    );
  if (first.startsWith('@')) return await readJsonFile(first.slice(1), name);
  return await readJson(first, name, source);
}

function memberOf(pair: string, name: string): [string, unknown] {
  const { key, value, invalid } = readKeyValue(pair);
  if (invalid === undefined) return [key, value];
  throw usageError(
    invalid === 'key' ? `--${name} "${pair}" has no key` : `--${name} ${key}:= is not followed by JSON`,
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

/** Reads `K=V` pairs. The value may contain more `=`. */
export function readPairs(pairs: readonly string[], name: string): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usageError(`--${name} "${pair}" is not K=V`, `write --${name} NAME=value`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
