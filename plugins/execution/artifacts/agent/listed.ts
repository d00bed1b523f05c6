import { Errors, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { StoredCache, StoredFile } from '../../agents/contract.ts';
import { formatDigest } from '../domain/digests.ts';
import { LocalFileError } from '../local/local-file-error.ts';
import { receiveFile, type RemoteFile } from '../local/receive-file.ts';

/** Artifacts that an agent lists at once. */
export const LIST_LIMIT = 200;

export const toStoredFile = ({ path, size, digest }: StoredFile): StoredFile => ({ path, size, digest });

export const toStoredCache = ({ key, size, digest }: StoredCache): StoredCache => ({
  key,
  size,
  digest: digest.startsWith('sha256:') ? digest : formatDigest(digest),
});

/** Returns what was found, or undefined if there is nothing. */
export async function orUndefined<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (isServiceError(error, 'not_found')) return undefined;
    throw error;
  }
}

export const artifactChanged = (path: string) =>
  Errors.notFound(`the artifact ${path} was replaced after it was listed`);

/** Downloads a listed artifact, or continues its partial file. Throws `not_found` if the content is another one. */
export async function receiveListed(target: string, file: StoredFile, read: RemoteFile['read']): Promise<void> {
  try {
    const received = await receiveFile(target, { ...file, read });
    if (received < file.size) throw Errors.unavailable(`the download of ${file.path} was interrupted`);
  } catch (error) {
    throw error instanceof LocalFileError ? artifactChanged(file.path) : error;
  }
}
