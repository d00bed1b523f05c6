import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from '../build.mjs';

const sources = fileURLToPath(new URL('..', import.meta.url));
const SANITIZE = ['-std=gnu11', '-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

/** Compiles with the address and undefined-behaviour sanitizers; undefined where the compiler cannot. */
export function sanitized(files: readonly string[], target: string): string | undefined {
  try {
    execFileSync('cc', [...SANITIZE, ...files, '-o', target], { cwd: sources, stdio: 'ignore' });
    return target;
  } catch {
    return undefined;
  }
}

export function sanitizedProgram(name: 'verb-client' | 'spawner', folder: string): string | undefined {
  return sanitized(PROGRAMS[name], join(folder, name));
}

/** Puts another client in the place of the installed one. */
export function replaceClient(folder: string, program: string): string {
  const client = join(folder, 'svc');
  copyFileSync(program, client);
  return client;
}
