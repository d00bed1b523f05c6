import { resolve } from 'node:path';
import { usageError } from '../errors.ts';

/** The files of a worker as absolute paths. `SVC_WORKER_FILES` separates them by colons, so that none can have one. */
export function resolveWorkerFiles(files: readonly string[]): string[] {
  const paths = files.map((file) => resolve(file));
  const divided = paths.find((path) => path.includes(':'));
  if (divided !== undefined) throw usageError(`${divided} has a colon in its path`, 'move or rename its folder');
  return paths;
}
