import { resolve } from 'node:path';
import { type FileProblem, formatProblem, type ReadManifests } from '../contract.ts';
import { resolveEntry } from './find-manifests.ts';
import { readManifests } from './read-manifests.ts';

/** The built-in connectors of the package. */
export const HOME = resolve(import.meta.dirname, '../../../../connectors');

type Environment = Readonly<Record<string, string | undefined>>;

/** The connectors of the package and those that SVC_CONNECTORS names. */
export async function installedManifests({ SVC_CONNECTORS = '' }: Environment): Promise<ReadManifests> {
  const extra = SVC_CONNECTORS.split(':').filter((entry) => entry !== '');
  return readManifests([HOME, ...(await Promise.all(extra.map(resolveEntry)))], HOME);
}

/** Formats every problem on a line of its own. */
export const formatProblems = (problems: readonly FileProblem[]): string =>
  problems.map(({ file, ...problem }) => `${file}: ${formatProblem(problem)}`).join('\n');
