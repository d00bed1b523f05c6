import { readFile } from 'node:fs/promises';
import type { Invocation } from './command.ts';
import { usageError } from './errors.ts';
import { readJson } from './input.ts';

/** The value of `--payload`: JSON, `-` or `@file`. */
export async function readPayload(given: string, source: Invocation): Promise<unknown> {
  if (!given.startsWith('@')) return readJson(given, 'payload', source);
  const path = given.slice(1);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${path}: ${error.message}`, '--payload takes JSON, - or @file');
  });
  return readJson(text, 'payload', source);
}
