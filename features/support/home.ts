import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new temporary folder that can be the HOME of programs under test. It shares the cache of whoever runs the tests: in an
 * empty home each command would compile svc anew, which costs three times what the command does.
 */
export async function homeFolder(prefix: string): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await symlink(cache, join(folder, '.cache'));
  return folder;
}

/** The folder of whoever runs the tests, for programs that get an environment of their own: else each compiles svc anew. */
export const compiledCode = (): Record<string, string> => {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
};
