import { readFile } from 'node:fs/promises';
import type { Invocation } from './command.ts';
import { usageError } from './errors.ts';
import { readJson } from './input.ts';

/** Reads the value of `--payload`: JSON, `-` or `@file`. */
export async function readPayload(argument: string, source: Invocation): Promise<unknown> {
  if (!argument.startsWith('@')) return readJson(argument, 'payload', source);
  const path = argument.slice(1);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`, '--payload accepts JSON, - or @file');
  });
  return readJson(text, 'payload', source);
}
