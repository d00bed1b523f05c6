import { resolve } from 'node:path';
import { type FileProblem, formatProblem, type ReadManifests } from '../contract.ts';
import { resolveEntry } from './find-manifests.ts';
import { readManifests } from './read-manifests.ts';

/** The built-in connectors of the package. */
export const HOME = resolve(import.meta.dirname, '../../../../connectors');

type Environment = Readonly<Record<string, string | undefined>>;

/** The connectors of the package and those that SVC_CONNECTORS names. */
export async function installedManifests(env: Environment): Promise<ReadManifests> {
  // A folder may be empty at first: connectors are put into it while the server runs.
  return readManifests([HOME, ...(await connectorPaths(env))], { trusted_path: HOME, may_be_empty: true });
}

/** The paths of SVC_CONNECTORS. */
export const connectorPaths = ({ SVC_CONNECTORS = '' }: Environment): Promise<string[]> =>
  Promise.all(
    SVC_CONNECTORS.split(':')
      .filter((entry) => entry !== '')
      .map(resolveEntry),
  );

/** Formats every problem on a line of its own. */
export const formatProblems = (problems: readonly FileProblem[]): string =>
  problems.map(({ file, ...problem }) => `${file}: ${formatProblem(problem)}`).join('\n');
