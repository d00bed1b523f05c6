import { readFile, stat } from 'node:fs/promises';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { parseJson } from '../../../platform/schema/contract.ts';
import type { Connector, ConnectorManifest, FileProblem, ManifestProblem, ReadManifests } from '../contract.ts';
import { validateManifest } from '../domain/check-manifest.ts';
import { manifestsAt } from './find-manifests.ts';

/** The limit of one manifest, because all manifests stay in memory. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the manifests of files and folders and finds every problem. Files at the trusted path are only parsed: the
 * tests of svc check them, and checking them at each start would take a twentieth of it.
 */
export async function readManifests(
  paths: readonly string[],
  { trusted_path, may_be_empty = false }: { trusted_path?: string; may_be_empty?: boolean } = {},
): Promise<ReadManifests> {
  const [connectors, problems]: [Connector[], FileProblem[]] = [[], []];
  const origins = new Map<string, string>();
  for (const path of paths) {
    const located = await manifestsAt(path);
    if ('error' in located)
      problems.push({ file: path, pointer: '', rule: 'not_found', message: located.error, fix: 'correct the path' });
    const files = 'files' in located ? located.files : [];
    if ('files' in located && files.length === 0 && !may_be_empty) problems.push({ file: path, ...EMPTY_FOLDER });
    for (const file of files) {
      const read = await readManifest(file, path === trusted_path ? withoutCheck : checkManifest);
      if ('problems' in read) {
        problems.push(...read.problems.map((problem) => ({ file, ...problem })));
        continue;
      }
      const { manifest } = read;
      const other = origins.get(manifest.name);
      if (other !== undefined) problems.push({ file, ...nameTaken(manifest.name, other) });
      origins.set(manifest.name, file);
      connectors.push({ manifest, origin: file });
    }
  }
  return { connectors, problems };
}

export function checkManifest(document: unknown): { manifest: ConnectorManifest } | { problems: ManifestProblem[] } {
  const problems = validateManifest(document);
  return problems.length > 0 ? { problems } : { manifest: document as ConnectorManifest };
}

const withoutCheck = (document: unknown) => ({ manifest: document as ConnectorManifest });

/** Reads one manifest. A file that is too large is not read. */
export async function readManifest(
  file: string,
  check: typeof checkManifest,
): Promise<{ manifest: ConnectorManifest } | { problems: ManifestProblem[] }> {
  const failure = (rule: string, message: string, fix: string): { problems: ManifestProblem[] } => ({
    problems: [{ pointer: '', rule, message, fix }],
  });
  try {
    const raw = (await stat(file)).size > MAX_BYTES ? undefined : await readFile(file);
    if (raw === undefined || raw.length > MAX_BYTES)
      return failure('too_large', `has more than ${MAX_BYTES} bytes`, 'make it smaller');
    return check(parseJson(raw));
  } catch (error) {
    const message = isServiceError(error) ? error.message.replace(/^the body /, '') : (error as Error).message;
    return failure('json', message, 'a manifest is one JSON object in UTF-8');
  }
}

const EMPTY_FOLDER: ManifestProblem = {
  pointer: '',
  rule: 'not_found',
  message: 'neither this folder nor a folder in it contains manifest.json',
  fix: 'correct the path',
};

export const nameTaken = (name: string, other: string): ManifestProblem => ({
  pointer: '/name',
  rule: 'name_taken',
  message: `${name} is also the name of ${other}`,
  fix: 'give the connector another name; its node types start with it',
});
