import { readFile } from 'node:fs/promises';

const HEADER = 32;
const FRAME_HEADER = 24;

/** What a write-ahead log of SQLite holds since it last began anew. */
export interface WalState {
  /** Counts how often the log began anew. */
  sequence: number;
  /** Pages written. */
  frames: number;
  /** Frames that end a transaction: with `synchronous=FULL`, as many times the file was synced. */
  commits: number;
  page_bytes: number;
}

/** Reads the log beside a database file, as https://sqlite.org/fileformat2.html#walformat describes it. */
export async function walState(database: string): Promise<WalState> {
  const log = await readFile(`${database}-wal`);
  const page_bytes = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  const state = { sequence: log.readUInt32BE(12), frames: 0, commits: 0, page_bytes };
  for (let at = HEADER; at + FRAME_HEADER + page_bytes <= log.length; at += FRAME_HEADER + page_bytes) {
    // Frames of an earlier turn of the log carry other salts.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    state.frames += 1;
    if (log.readUInt32BE(at + 4) > 0) state.commits += 1;
  }
  return state;
}

/** Pages and commits between two looks; undefined when the log began anew in between. */
export function walBetween(before: WalState, after: WalState): { bytes: number; commits: number } | undefined {
  if (before.sequence !== after.sequence) return undefined;
  return { bytes: (after.frames - before.frames) * after.page_bytes, commits: after.commits - before.commits };
}
