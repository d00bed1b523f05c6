import { type Database, Errors, type Ids, type Transaction } from '../../../kernel/contracts/index.ts';
import type { CallContext, JournaledVerb, Json, RunLimits } from '../../runs/contract.ts';
import { MAX_FILES } from '../local/walk.ts';
import { checkCount } from '../service/library.ts';
import { publish, removeUploads } from '../store/publish.ts';
import { readUploads, type Upload } from '../store/upload-rows.ts';
import { ArtifactErrors } from '../errors.ts';

/**
 * The server's half of `svc artifact put`: args `{uploads: [<id>, …]}`. The uploads of the activity become artifacts of its
 * run in the transaction of the record, so that a call publishes all of its files once, or none. Prints their paths.
 */
export const publishVerb = (
  database: Pick<Database, 'now'>,
  ids: Pick<Ids, 'next'>,
  limits: RunLimits,
): JournaledVerb => ({
  kind: 'artifact',
  async perform(tx, context, args) {
    const bounded = { trusted: context.trusted, limits };
    const uploads = await uploadsOf(tx, context, readIds(args));
    if (!(await removeUploads(tx, uploads))) throw gone();
    await publish(tx, context, uploads, { ids, now: database.now(), position: context.position, bounded });
    await checkCount(tx, context.run_id);
    return { exit_code: 0, output: Buffer.from(uploads.map(({ path }) => `${path}\n`).join('')) };
  },
});

const gone = () => ArtifactErrors.uploadTaken('an upload of this call is no longer there, or is not complete');

function readIds(args: Json): string[] {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { uploads, ...unknown } = given;
  const fits =
    Array.isArray(uploads) && uploads.every((id) => typeof id === 'string' && /^art_[0-9A-Z]{1,40}$/.test(id));
  if (!fits || uploads.length === 0 || uploads.length > MAX_FILES || Object.keys(unknown).length > 0)
    throw Errors.invalidRequest(`artifact takes 1 to ${MAX_FILES} ids of uploads`);
  return uploads as string[];
}

/** In the order of the call. Only complete ones of this activity, each once. */
async function uploadsOf(
  tx: Transaction,
  { run_id, activity_id }: CallContext,
  ids: readonly string[],
): Promise<Upload[]> {
  const known = await readUploads(tx, ids);
  const uploads = ids.flatMap((id) => known.get(id) ?? []);
  const own = uploads.every((one) => one.complete && one.run_id === run_id && one.activity_id === activity_id);
  const paths = new Set(uploads.map(({ path }) => path));
  if (uploads.length !== ids.length || !own || paths.size !== ids.length) throw gone();
  return uploads;
}
