import { chunks } from '../../../../kernel/contracts/index.ts';
import { fitting } from '../domain/pages.ts';
import type { Reader } from './rows/context.ts';

/** What a list shows of the notes of a run. */
const LISTED = { notes: 5, characters: 200 } as const;
/** What the record of a run shows of them. */
const SHOWN = { notes: 2000, bytes: 1024 * 1024 } as const;
const CUT = '…';
/** As much of a note as a list needs, which is stored beside it. */
export const beginningOf = (text: string): string => text.slice(0, LISTED.characters + 1).toWellFormed();
/** Runs of one statement: a text for each number of runs would fill the caches of prepared statements. */
const SIZES = [1, 4, 16, 64, 128] as const;

/** The first notes of runs that have some, each of them cut; `…` stands for those that are left out. */
export async function readFirstNotes(on: Reader, run_ids: readonly string[]): Promise<Map<string, string[]>> {
  const notes = new Map<string, string[]>();
  for (const some of chunks(run_ids)) {
    for (const { run_id, text } of await firstOf(on, some)) {
      const known = notes.get(run_id) ?? [];
      notes.set(run_id, known);
      if (known.length === LISTED.notes) known.push(CUT);
      else known.push(shortened(text, LISTED.characters));
    }
  }
  return notes;
}

function firstOf(on: Reader, run_ids: readonly string[]): Promise<{ run_id: string; text: string }[]> {
  if (run_ids.length === 0) return Promise.resolve([]);
  // Each run is asked for by itself, because there is no limit for each of a list. Further parts ask for no run.
  const size = SIZES.find((known) => known >= run_ids.length)!;
  const parts = Array.from(
    { length: size },
    (_, n) => `SELECT * FROM (SELECT run_id, beginning AS text FROM runs_annotations
      WHERE run_id = ? ORDER BY activity_id, nth LIMIT ${LISTED.notes + 1}) notes_${n}`,
  );
  return on.read(parts.join(' UNION ALL '), [...run_ids, ...Array.from({ length: size - run_ids.length }, () => '')]);
}

/** The notes of a run in their order, as many as a record shows; `…` stands for those that are left out. */
export async function readAllNotes(on: Reader, run_id: string): Promise<string[]> {
  const where = 'FROM runs_annotations WHERE run_id = ? ORDER BY activity_id, nth LIMIT';
  const sizes = await on.read<{ bytes: number }>(`SELECT OCTET_LENGTH(text) AS bytes ${where} ${SHOWN.notes + 1}`, [
    run_id,
  ]);
  const { count, cut } = fitting(
    sizes.map(({ bytes }) => Number(bytes)),
    SHOWN.notes,
    SHOWN.bytes,
  );
  const rows = await on.read<{ text: string }>(`SELECT text ${where} ${count}`, [run_id]);
  const texts = rows.map(({ text }) => text);
  return cut ? [...texts, CUT] : texts;
}

/** The beginning of a text with a sign that there is more. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, length);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}${CUT}`;
}
