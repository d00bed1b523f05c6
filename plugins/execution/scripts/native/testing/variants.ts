import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from '../build.mjs';
import type { Log } from '../../../../../kernel/contracts/index.ts';
import { ShellBuiltin } from '../../shell/in-shell.ts';
import { type VerbClientOptions, verbClient } from '../verb-client.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };

const sources = fileURLToPath(new URL('..', import.meta.url));
const SANITIZE = ['-std=gnu11', '-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const FUZZ = ['testing/reply-fuzz.c', 'reply.c', 'json.c', 'buffer.c'];
const PASS = ['testing/pass-fuzz.c', 'pass.c', 'buffer.c'];
const LAST_WORDS = ['testing/last-words.c', 'jobs.c', 'keeper.c', 'frames.c', 'buffer.c'];

/**
 * Compiles `verb-client`, `spawner`, `reply-fuzz`, `pass-fuzz` and `last-words` into a folder, with the address and undefined-behaviour
 * sanitizers; false where the compiler has none.
 */
export function compileSanitized(folder: string): boolean {
  try {
    // The libraries would bring the sanitizers into a bash and a Node.js that have none.
    const { 'in-shell': _, guard: _guard, ...programs } = PROGRAMS;
    for (const [name, files] of Object.entries({
      ...programs,
      'reply-fuzz': FUZZ,
      'pass-fuzz': PASS,
      'last-words': LAST_WORDS,
    })) {
      // A program that ends by exit() frees nothing; what the parser takes must be given back.
      const leaks = name.endsWith('-fuzz') ? [] : ['testing/allow-leaks.c'];
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

/**
 * A program that has a bash answer: `svc` with all its arguments, as the last call of a script. Its folder is that of
 * the client, so that the suite finds what lies beside it.
 */
export async function inShellClient(folder: string, options: VerbClientOptions): Promise<string> {
  const client = await verbClient(folder, { ...options, native: true });
  const [verb = ''] = options.verbs;
  const shell = new ShellBuiltin({ verb, log: silentLog });
  const bash = execFileSync('bash', ['-c', 'type -P bash']).toString().trim();
  const { BASH_ENV } = await shell.variables(client, [bash], {});
  if (BASH_ENV === undefined) throw new Error(`${bash} takes no loadable builtins`);
  const bin = join(folder, 'in-shell');
  const call = 'svc "$@"; exit "$?"';
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'svc'),
    `#!/bin/sh\n# With a socket as its input a bash of the first level reads other files.\nSHLVL=2 PATH='${client}':$PATH BASH_ENV='${BASH_ENV}' exec '${bash}' -c '${call}' svc "$@"\n`,
  );
  chmodSync(join(bin, 'svc'), 0o755);
  return bin;
}
