import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { findProgram } from '../domain/interpreter.ts';
import { interpreterMissing } from '../errors.ts';
import type { UserIds } from '../native/frames.ts';
import { allows, ENTER } from './user-room.ts';

/**
 * The path of a program that this user may start, which may be another one than the agent's: root has programs in its home. Throws
 * `interpreter_missing` when only the agent may start one.
 */
export async function findAs(
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
    if (await mayStart(found, user)) return found;
    closed ??= found;
  }
  if (closed === undefined) return undefined;
  throw interpreterMissing(
    `${closed} is on the agent's machine, but the user ${user.uid}, as whom it runs this project, cannot start it; install the program for all users`,
  );
}

/** Where the program really lies, and on the way to the name that it was found by. */
async function mayStart(found: string, user: UserIds): Promise<boolean> {
  try {
    for (const path of [await realpath(found), await realpath(dirname(found))])
      for (let at = path; ; at = dirname(at)) {
        if (!allows(user, await stat(at), ENTER)) return false;
        if (at === dirname(at)) break;
      }
    return true;
  } catch {
    return false; // It is gone meanwhile.
  }
}
