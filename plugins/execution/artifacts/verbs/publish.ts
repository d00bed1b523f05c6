import { type Database, Errors, type Ids, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { CallContext, JournaledVerb, Json, RunLimits } from '../../../engine/runs/contract.ts';
import { MAX_FILES } from '../local/walk.ts';
import { assertWithinCount } from '../service/library.ts';
import { publish, removeUploads } from '../store/publish.ts';
import { readUploads, type Upload } from '../store/upload-rows.ts';
import { ArtifactErrors } from '../errors.ts';

/**
 * The server's half of `svc artifact put`, with the arguments `{uploads: [<id>, …]}`. The uploads of the activity
 * become artifacts of its run in the transaction of the record, so a call publishes all of its files once or none.
 * Prints their paths.
 */
export const publishVerb = (
  database: Pick<Database, 'now'>,
  ids: Pick<Ids, 'next'>,
  limits: RunLimits,
): JournaledVerb => ({
  kind: 'artifact',
  async perform(tx, context, args) {
    const bounded = { trusted: context.trusted, limits };
    const uploads = await readOwnUploads(tx, context, readIds(args));
    if (!(await removeUploads(tx, uploads))) throw uploadGone();
    await publish(tx, context, uploads, { ids, now: database.now(), position: context.position, bounded });
    await assertWithinCount(tx, context.run_id);
    return { exit_code: 0, output: Buffer.from(uploads.map(({ path }) => `${path}\n`).join('')) };
  },
});

const uploadGone = () => ArtifactErrors.uploadTaken('an upload of this call no longer exists, or is not complete');

function readIds(args: Json): string[] {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { uploads, ...unknown } = members;
  const is_valid =
    Array.isArray(uploads) && uploads.every((id) => typeof id === 'string' && /^art_[0-9A-Z]{1,40}$/.test(id));
  if (!is_valid || uploads.length === 0 || uploads.length > MAX_FILES || Object.keys(unknown).length > 0)
    throw Errors.invalidRequest(`artifact accepts 1 to ${MAX_FILES} upload IDs`);
  return uploads as string[];
}

/** Returns the uploads in the order of the call. All must be complete, belong to this activity, and occur once. */
async function readOwnUploads(
  tx: Transaction,
  { run_id, activity_id }: CallContext,
  ids: readonly string[],
): Promise<Upload[]> {
  const by_id = await readUploads(tx, ids);
  const uploads = ids.flatMap((id) => by_id.get(id) ?? []);
  const is_own = uploads.every(
    (upload) => upload.complete && upload.run_id === run_id && upload.activity_id === activity_id,
  );
  const paths = new Set(uploads.map(({ path }) => path));
  if (uploads.length !== ids.length || !is_own || paths.size !== ids.length) throw uploadGone();
  return uploads;
}
