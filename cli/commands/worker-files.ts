import { resolve } from 'node:path';
import { usageError } from '../errors.ts';

/** What Node and Python can import. */
const PROGRAM = /\.([cm]?[jt]s|py)$/;

/** The files of a worker as absolute paths. `SVC_WORKER_FILES` separates them by colons, so that none can have one. */
export function resolveWorkerFiles(files: readonly string[]): string[] {
  const foreign = files.find((file) => !PROGRAM.test(file));
  if (foreign !== undefined)
    throw usageError(
      `${foreign} is not a TypeScript, JavaScript or Python file`,
      `a worker serves files such as orders.ts or orders.py; to run ${foreign} as a script: svc submit ${foreign}`,
    );
  const paths = files.map((file) => resolve(file));
  const divided = paths.find((path) => path.includes(':'));
  if (divided !== undefined) throw usageError(`${divided} has a colon in its path`, 'move or rename its folder');
  return paths;
}
