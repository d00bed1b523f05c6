import { createHash } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { type ActivityFiles, removeFolder, type StoredCache } from '../../agents/contract.ts';
import { verbUsage } from '../../replay/contract.ts';
import { shownBytes } from '../../../engine/runs/contract.ts';
import {
  defineVerb,
  pathIn,
  readArguments,
  requirePositionals,
  unrestrictedDisk,
  type VerbCall,
  type VerbOutcome,
} from '../../scripts/contract.ts';
import { cacheRestoreHelp, cacheSaveHelp } from '../cli/verbs.ts';
import { LocalFileError } from '../local/local-file-error.ts';
import { readContent } from '../local/walk.ts';

const MAX_KEY_LENGTH = 255;
/** Like GNU tar and its relatives: files belong to whoever extracts them. */
const EXTRACT = 'tar -x -o -f "$1"';
/** The archive lies where the caller may write and the agent may read, and does not contain itself. */
const ARCHIVE =
  'umask 077; archive=$1; shift; tar -c -f "$archive" --exclude="./$archive" --exclude="$archive" -- "$@"';
const REMOVE = 'rm -f -- "$1"';
/** Output of these commands that is read. They print nothing on standard output. */
const OUTPUT_BYTES = 1024;

/**
 * Implements `svc cache restore <key> [--or <prefix>]…`: the agent downloads an archive that a run of the project has
 * saved, and the caller extracts it in its folder. Prints the key that was restored, or nothing. Nothing is recorded. A
 * cache that cannot be restored fails nothing, because the work can be done without it.
 */
export const cacheRestoreVerb = defineVerb(cacheRestoreHelp, async (call) => {
  const parsed = readArguments(call.argv, [], ['or']);
  const [key = ''] = requirePositionals(parsed, ['key']);
  const prefixes = parsed.lists.or ?? [];
  const keys = [key, ...prefixes].map((text) => readKey(call, text));
  const { files, createReadableFolder } = call;
  if (!files || !createReadableFolder) throw verbUsage('this agent cannot restore caches');
  return orWarning('the cache cannot be restored', async () => {
    const cache = await findFirst(files, keys);
    if (!cache) return { exit: 0 };
    const folder = await createReadableFolder();
    try {
      const archive = join(folder, 'cache.tar');
      await files.fetchCache(cache, archive);
      // The agent's umask may hide it from the caller.
      await chmod(archive, 0o644);
      const { exit_code, error } = await call.exec(['sh', '-c', EXTRACT, 'svc', archive], '', OUTPUT_BYTES);
      if (exit_code !== 0 || error !== undefined) return warn(`the cache ${cache.key} cannot be extracted`, error);
      return {
        exit: 0,
        stdout: Buffer.from(`${cache.key}\n`),
        message: `restored ${cache.key} (${formatSize(cache.size)})`,
      };
    } finally {
      await removeFolder(folder);
    }
  });
});

/**
 * Implements `svc cache save <key> <path>…`: the caller packs files of its folder, and the agent uploads them. A key is
 * saved once. Prints the key if it was saved. A cache that cannot be saved fails nothing.
 */
export const cacheSaveVerb = defineVerb(cacheSaveHelp, async (call) => {
  const { positionals } = readArguments(call.argv);
  const [requested_key = '', ...paths] = positionals;
  const key = readKey(call, requested_key);
  if (paths.length === 0) throw verbUsage('there is no path to cache');
  for (const path of paths) {
    const problem = validateCachePath(path);
    if (problem !== undefined) throw verbUsage(`the path ${JSON.stringify(path)} ${problem}`);
  }
  const { files } = call;
  if (!files) throw verbUsage('this agent cannot save caches');
  return orWarning('the cache cannot be saved', async () => {
    if ((await files.findCache(key, false)) !== undefined) return { exit: 0, message: `${key} is saved already` };
    const existing = await findExisting(call, paths);
    if (existing.length === 0) return warn('there is nothing to cache', undefined);
    return await packAndSave(call, files, key, existing);
  });
});

async function packAndSave(
  call: VerbCall,
  files: ActivityFiles,
  key: string,
  paths: readonly string[],
): Promise<VerbOutcome> {
  // Other runs may save other keys, or the same one, in the same folder at the same time.
  const owner = createHash('sha256').update(`${call.pass.activity_id}\n${key}`).digest('hex');
  const name = `.svc-cache-${owner.slice(0, 32)}.tar`;
  const run = (script: string, args: readonly string[]) =>
    call.exec(['sh', '-c', script, 'svc', ...args], '', OUTPUT_BYTES);
  try {
    const { exit_code, error } = await run(ARCHIVE, [name, ...paths]);
    if (exit_code !== 0 || error !== undefined) return warn('the files cannot be packed', error);
    const content = await readContent(pathIn(call.cwd, name), call.disk_view);
    const { upload_id } = await files.stage(name, content);
    if (!(await files.saveCache(key, upload_id))) return { exit: 0, message: `${key} is saved already` };
    return { exit: 0, stdout: Buffer.from(`${key}\n`), message: `saved ${key} (${formatSize(content.size)})` };
  } finally {
    await run(REMOVE, [name]);
  }
}

function readKey({ pass }: VerbCall, text: string): string {
  const key = pass.mask(text);
  if (key === '') throw verbUsage('the cache key is empty');
  if (key.length > MAX_KEY_LENGTH || /\p{Cc}/u.test(key) || !key.isWellFormed())
    throw verbUsage(`a cache key can have up to ${MAX_KEY_LENGTH} characters, and no control characters`);
  // `svc cache rm` sends the key as a path.
  if (key.split('/').some((name) => name === '.' || name === '..'))
    throw verbUsage('a cache key cannot contain the names "." and ".."');
  if (key.includes('\\')) throw verbUsage('a cache key cannot contain a backslash');
  return key;
}

/** Files outside of the folder would be extracted elsewhere than they were. */
function validateCachePath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/')) return 'is absolute; cache files below the current folder';
  return path.split('/').includes('..') ? 'contains the name ".."' : undefined;
}

/** Returns the cache with the first key, or otherwise the newest of the first prefix that has one. */
async function findFirst(files: ActivityFiles, keys: readonly string[]): Promise<StoredCache | undefined> {
  for (const [n, key] of keys.entries()) {
    const cache = await files.findCache(key, n > 0);
    if (cache) return cache;
  }
  return undefined;
}

async function findExisting(call: VerbCall, paths: readonly string[]): Promise<string[]> {
  const disk = call.disk_view ?? unrestrictedDisk;
  const found = await Promise.all(
    paths.map((path) =>
      disk.lstat(pathIn(call.cwd, path)).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** Reports on standard error what could not be done, and succeeds. A lost claim still ends the call. */
async function orWarning(what: string, work: () => Promise<VerbOutcome>): Promise<VerbOutcome> {
  try {
    return await work();
  } catch (error) {
    const is_expected = error instanceof LocalFileError || (isServiceError(error) && error.code !== 'lease_lost');
    if (!is_expected || isServiceError(error, 'verb_usage')) throw error;
    return warn(what, error.message);
  }
}

function warn(what: string, reason: string | undefined): VerbOutcome {
  const message = reason === undefined ? what : `${what}: ${reason}`;
  return { exit: 0, message, stderr: `svc: ${message}\n` };
}

const formatSize = (bytes: number): string => {
  const mib = bytes / 2 ** 20;
  return mib >= 1 ? `${mib.toFixed(1)} MiB` : shownBytes(bytes);
};
