import { Errors, retryUnknownCommit, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../contract.ts';
import { beginningOf } from './read-notes.ts';
import { holds, lockFence, lost } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityOwner } from './activity-owners.ts';
import { countCalls } from './untrusted-runs.ts';

const TEXT_BYTES = 256 * 1024;
const MAX_COUNT = 10_000;
/** What a note of an untrusted run counts for beside its text: its row. */
const NOTE_BYTES = 128;
/** Characters of all notes of an activity: every view of its run shows them, and a list shows those of 200 runs. */
const ALL_BYTES = 256 * 1024;

/** The nth note of an activity; a later pass, or a repeat, replaces it. */
export async function annotate(store: StoreParts, claim: ClaimRef, nth: number, text: string): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (bytes > TEXT_BYTES) throw Errors.payloadTooLarge(`the annotation has ${bytes} bytes; the limit is ${TEXT_BYTES}`);
  if (!Number.isInteger(nth) || nth < 0 || nth >= MAX_COUNT)
    throw Errors.invalidRequest(`an activity has at most ${MAX_COUNT} annotations`);
  const owner = await store.owners.of(claim.activity_id);
  const shown = (await store.masks.of(owner)).text(text);
  await retryUnknownCommit(() =>
    store.database.transaction(async (tx) => {
      if (!holds(await lockFence(tx, claim.activity_id), claim)) throw lost(claim);
      const more = await checkRoom(tx, owner, nth, shown);
      if (!owner.trusted && more > 0) {
        const beyond = await countCalls(tx, store.limits, owner.run_id, [{ bytes: more }]);
        if (beyond) throw beyond;
      }
      await tx.write(
        `INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at, beginning) VALUES (?, ?, ?, ?, ?, ?)
         ${tx.sql.upsert(['run_id', 'activity_id', 'nth'], ['text', 'written_at', 'beginning'])}`,
        [owner.run_id, claim.activity_id, nth, shown, store.database.now(), beginningOf(shown)],
      );
      tx.afterCommit(() => store.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'run' }));
    }),
  );
}

/** Answers by how much the notes grow: a pass that writes them again adds nothing. */
async function checkRoom(tx: Transaction, owner: ActivityOwner, nth: number, text: string): Promise<number> {
  const [stored] = await tx.read<{ bytes: number | string | null; replaced: number | string | null }>(
    `SELECT SUM(OCTET_LENGTH(text)) AS bytes, SUM(CASE WHEN nth = ? THEN OCTET_LENGTH(text) END) AS replaced
     FROM runs_annotations WHERE run_id = ? AND activity_id = ?`,
    [nth, owner.run_id, owner.activity_id],
  );
  const replaced = stored?.replaced ?? null;
  const bytes = Buffer.byteLength(text);
  const over = Number(stored?.bytes ?? 0) - Number(replaced ?? 0) + bytes - ALL_BYTES;
  if (over > 0)
    throw Errors.payloadTooLarge(
      `the annotations of the activity would be ${over} bytes over the limit of ${ALL_BYTES}`,
    );
  return replaced === null ? bytes + NOTE_BYTES : bytes - Number(replaced);
}
