import { isServiceError, ServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityFiles } from '../../agents/contract.ts';
import { valueTooLarge, verbUsage } from '../../replay/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import { answer, defineVerb, exactly, readArguments, type VerbCall } from '../../scripts/contract.ts';
import { artifactPutHelp } from '../cli/verbs.ts';
import { LocalFault } from '../local/fault.ts';
import { collectFiles, contentOf, type LocalFile } from '../local/walk.ts';

/** Uploads of one call at the same time. */
const AT_ONCE = 8;

/**
 * `svc artifact put <folder>|<file> [--as <path>]`: the agent uploads the files, and the record of the call makes all of
 * them artifacts in one transaction. A replay answers the record, and looks at no file. Prints the paths.
 */
export const artifactPutVerb = defineVerb(artifactPutHelp, async (call) => {
  if (call.argv.some((word) => word === '--run' || word.startsWith('--run=')))
    throw verbUsage('in a script the artifacts belong to its own run: leave --run out');
  const given = readArguments(call.argv, ['as']);
  const [source = ''] = exactly(given, ['folder']);
  const { as } = given.options;
  if (source === '') throw verbUsage('<folder> is empty');
  const { files } = call;
  if (!files) throw verbUsage('this agent stores no artifacts: its server has no plugin for them');
  const site = { kind: 'artifact', name: call.pass.mask(`put ${as ?? source}`).slice(0, 200) };
  const args = async () => ({
    uploads: await recorded(async () => upload(call, files, await listed(call, source, as))),
  });
  return answer(await call.pass.perform(site, args));
});

type Place = Pick<VerbCall, 'cwd' | 'room' | 'pass'>;

async function listed({ cwd, room }: Place, source: string, as: string | undefined): Promise<LocalFile[]> {
  const found = await usable(() => collectFiles(cwd, source, as, room));
  const bytes = found.reduce((sum, { path }) => sum + Buffer.byteLength(path) + 1, 0);
  if (bytes > MAX_STEP_OUTPUT_BYTES)
    throw valueTooLarge(`the paths have ${bytes} bytes together; store the files as one archive (tar)`);
  return found;
}

/** In the order of the files, a few at a time. The first failure ends it. */
/** Artifacts are found by their paths, so these are masked. */
async function upload({ room, pass }: Place, files: ActivityFiles, found: readonly LocalFile[]): Promise<string[]> {
  const ids: string[] = [];
  const left = found.entries();
  let failed = false;
  const carry = async () => {
    for (const [n, { path, file }] of left) {
      if (failed) return;
      const content = await usable(() => contentOf(file, room));
      ids[n] = (await files.stage(pass.mask(path), content)).upload_id;
    }
  };
  const carriers = Array.from({ length: AT_ONCE }, () =>
    carry().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const outcome of await Promise.allSettled(carriers)) if (outcome.status === 'rejected') throw outcome.reason;
  return ids;
}

/**
 * A disk that is full, or a store that nobody can reach, is the outcome of this call too: the next pass must find what this
 * one did.
 */
async function recorded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || error.status < 500) throw error;
    throw new ServiceError({ ...error.definition, status: 422 }, error.message, { cause: error });
  }
}

/** A file that cannot be used is a fault of the call, and recorded as its outcome. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LocalFault)) throw error;
    throw verbUsage(`${error.message}; ${error.next}`, { cause: error });
  }
}
