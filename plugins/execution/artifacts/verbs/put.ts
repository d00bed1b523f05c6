import { isServiceError, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityFiles } from '../../agents/contract.ts';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import { toOutcome, defineVerb, requirePositionals, readArguments, type VerbCall } from '../../scripts/contract.ts';
import { artifactPutHelp } from '../cli/verbs.ts';
import { LocalFileError } from '../local/local-file-error.ts';
import { collectFiles, readContent, type LocalFile } from '../local/walk.ts';

/** Number of concurrent uploads of one call. */
const CONCURRENT_UPLOADS = 8;

/**
 * Implements `svc artifact put <folder>|<file> [--as <path>]`: the agent uploads the files, and the record of the
 * call turns all of them into artifacts in one transaction. A replay returns the record and looks at no file. Prints
 * the paths.
 */
export const artifactPutVerb = defineVerb(artifactPutHelp, async (call) => {
  if (call.argv.some((word) => word === '--run' || word.startsWith('--run=')))
    throw verbUsage("in a script, artifacts belong to the script's run: omit --run");
  const parsed = readArguments(call.argv, ['as']);
  const [source = ''] = requirePositionals(parsed, ['folder']);
  const { as } = parsed.options;
  if (source === '') throw verbUsage('<folder> is empty');
  const { files } = call;
  if (!files) throw verbUsage('this agent cannot store artifacts: its server has no plugin for them');
  const site = { kind: 'artifact', name: call.pass.mask(`put ${as ?? source}`).slice(0, 200) };
  const args = async () => ({
    uploads: await asOutcome(async () => upload(call, files, await listFiles(call, source, as))),
  });
  return toOutcome(await call.pass.perform(site, args));
});

type UploadCall = Pick<VerbCall, 'cwd' | 'disk_view' | 'pass'>;

/** Returns the files, with masked paths: artifacts are looked up by path, so a path must not contain a secret. */
async function listFiles({ cwd, disk_view, pass }: UploadCall, source: string, as: string | undefined) {
  const found = await asUsageError(() => collectFiles(cwd, source, as, disk_view));
  const files = found.map(({ path, file }) => ({ path: pass.mask(path), file }));
  assertDistinct(files);
  const bytes = files.reduce((sum, { path }) => sum + Buffer.byteLength(path) + 1, 0);
  if (bytes > MAX_STEP_OUTPUT_BYTES)
    throw valueTooLarge(`the files are ${bytes} bytes in total; store the files as one archive (tar)`);
  return files;
}

/** Names that differ only in a secret are the same once that is masked. */
function assertDistinct(files: readonly LocalFile[]): void {
  const paths = new Set<string>();
  for (const { path } of files) {
    if (paths.has(path))
      throw verbUsage(`two files would be stored as ${path}, because secrets in names are masked; rename one of them`);
    paths.add(path);
  }
}

/** Uploads files in order, a few at a time; the first failure ends it. */
async function upload(
  { disk_view }: UploadCall,
  files: ActivityFiles,
  files_to_upload: readonly LocalFile[],
): Promise<string[]> {
  const ids: string[] = [];
  const queue = files_to_upload.entries();
  let failed = false;
  const uploadNext = async () => {
    for (const [n, { path, file }] of queue) {
      if (failed) return;
      // The file is opened a second time to be sent, and may have changed until then.
      const stage = async () => files.stage(path, await readContent(file, disk_view));
      ids[n] = (await asUsageError(stage)).upload_id;
    }
  };
  const workers = Array.from({ length: CONCURRENT_UPLOADS }, () =>
    uploadNext().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const outcome of await Promise.allSettled(workers)) if (outcome.status === 'rejected') throw outcome.reason;
  return ids;
}

/**
 * Records failures such as a full disk or an unreachable store as the outcome of this call, because the next pass
 * must find what this one did.
 */
async function asOutcome<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || error.status < 500) throw error;
    throw new ServiceError({ ...error.definition, status: 422 }, error.message, { cause: error });
  }
}

/** Turns an unusable file into a usage error of the call, which is recorded as its outcome. */
async function asUsageError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    throw verbUsage(`${error.message}; ${error.next}`, { cause: error });
  }
}
