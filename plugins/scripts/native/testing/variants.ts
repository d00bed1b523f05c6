import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from '../build.mjs';
import { type VerbClientOptions, verbClient } from '../verb-client.ts';

const sources = fileURLToPath(new URL('..', import.meta.url));
const SANITIZE = ['-std=gnu11', '-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const FUZZ = ['testing/reply-fuzz.c', 'reply.c', 'json.c', 'buffer.c'];

/**
 * Compiles `verb-client`, `spawner` and `reply-fuzz` into a folder, with the address and undefined-behaviour
 * sanitizers; false where the compiler has none.
 */
export function compileSanitized(folder: string): boolean {
  try {
    for (const [name, files] of Object.entries({ ...PROGRAMS, 'reply-fuzz': FUZZ })) {
      // A program that ends by exit() frees nothing; what the parser takes must be given back.
      const leaks = name === 'reply-fuzz' ? [] : ['testing/allow-leaks.c'];
      const args = [...SANITIZE, ...files, ...leaks, '-o', join(folder, name)];
      execFileSync('cc', args, { cwd: sources, stdio: 'ignore' });
    }
    return true;
  } catch {
    return false;
  }
}

/** Installs a client and puts the sanitized one in its place. */
export async function sanitizedClient(folder: string, options: VerbClientOptions): Promise<string> {
  const bin = await verbClient(folder, options);
  renameSync(join(folder, 'verb-client'), join(bin, 'svc'));
  return bin;
}
