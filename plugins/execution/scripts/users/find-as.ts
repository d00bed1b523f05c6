import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { findProgram } from '../domain/interpreter.ts';
import { interpreterMissing } from '../errors.ts';
import type { UserIds } from '../native/frames.ts';
import { hasPermission, ENTER } from './user-disk-view.ts';

/**
 * Finds the path of a program that this user may start, which may differ from the agent's: root has programs in its
 * home. Throws `interpreter_missing` when only the agent may start one.
 */
export async function findProgramAs(
  user: UserIds,
  program: string,
  path: string,
  workdir: string,
): Promise<string | undefined> {
  if (program.includes('/')) return await findProgram(program, path, workdir);
  let closed: string | undefined;
  for (const folder of path.split(delimiter)) {
    const found = await findProgram(program, folder, workdir);
    if (found === undefined) continue;
    if (await canStart(found, user)) return found;
    closed ??= found;
  }
  if (closed === undefined) return undefined;
  throw interpreterMissing(
    `${closed} is on the agent's machine, but the user ${user.uid}, which runs this project's programs, cannot start it; install the program for all users`,
  );
}

/** Checks the real location of a program and the folders on the way to the name under which it was found. */
async function canStart(program_path: string, user: UserIds): Promise<boolean> {
  try {
    for (const path of [await realpath(program_path), await realpath(dirname(program_path))])
      for (let at = path; ; at = dirname(at)) {
        if (!hasPermission(user, await stat(at), ENTER)) return false;
        if (at === dirname(at)) break;
      }
    return true;
  } catch {
    return false; // The program was removed in the meantime.
  }
}
