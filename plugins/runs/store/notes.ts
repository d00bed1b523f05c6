import { Errors, settled, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ClaimRef } from '../contract.ts';
import { holds, lockFence, lost } from './activity-rows.ts';
import type { StoreParts } from './parts.ts';
import type { ActivityPlace } from './places.ts';

const TEXT_BYTES = 256 * 1024;
const MOST = 10_000;
/** Of all notes of an activity: every view of its run shows them, and a list shows those of 200 runs. */
const ALL_BYTES = 256 * 1024;

/** The nth note of an activity; a later pass, or a repeat, replaces it. */
export async function annotate(store: StoreParts, claim: ClaimRef, nth: number, text: string): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (bytes > TEXT_BYTES)
    throw Errors.payloadTooLarge(`the annotation has ${bytes} bytes; at most ${TEXT_BYTES} are kept`);
  if (!Number.isInteger(nth) || nth < 0 || nth >= MOST)
    throw Errors.invalidRequest(`an activity has at most ${MOST} annotations`);
  const place = await store.places.of(claim.activity_id);
  const shown = (await store.masks.of(place)).text(text);
  await settled(() =>
    store.database.transaction(async (tx) => {
      if (!holds(await lockFence(tx, claim.activity_id), claim)) throw lost(claim);
      await checkRoom(tx, place, nth, shown);
      await tx.write(
        `INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at) VALUES (?, ?, ?, ?, ?)
         ${tx.sql.upsert(['run_id', 'activity_id', 'nth'], ['text', 'written_at'])}`,
        [place.run_id, claim.activity_id, nth, shown, store.database.now()],
      );
      tx.afterCommit(() => store.wakeups.run(place.run_id));
    }),
  );
}

async function checkRoom(tx: Transaction, place: ActivityPlace, nth: number, text: string): Promise<void> {
  const [others] = await tx.read<{ bytes: number | string | null }>(
    'SELECT SUM(OCTET_LENGTH(text)) AS bytes FROM runs_annotations WHERE run_id = ? AND activity_id = ? AND nth <> ?',
    [place.run_id, place.activity_id, nth],
  );
  const over = Number(others?.bytes ?? 0) + Buffer.byteLength(text) - ALL_BYTES;
  if (over > 0)
    throw Errors.payloadTooLarge(`the annotations of the activity would be ${over} bytes over the ${ALL_BYTES} kept`);
}
