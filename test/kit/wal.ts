import { open } from 'node:fs/promises';

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
  const file = await open(`${database}-wal`, 'r');
  try {
    const header = Buffer.alloc(HEADER);
    await file.read(header, 0, HEADER, 0);
    const page_bytes = header.readUInt32BE(8);
    const state = { sequence: header.readUInt32BE(12), frames: 0, commits: 0, page_bytes };
    const { size } = await file.stat();
    const frame = Buffer.alloc(FRAME_HEADER);
    for (let at = HEADER; at + FRAME_HEADER + page_bytes <= size; at += FRAME_HEADER + page_bytes) {
      await file.read(frame, 0, FRAME_HEADER, at);
      // Frames of an earlier turn of the log carry other salts.
      if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) break;
      state.frames += 1;
      if (frame.readUInt32BE(4) > 0) state.commits += 1;
    }
    return state;
  } finally {
    await file.close();
  }
}

/** Pages and commits between two looks; undefined when the log began anew in between. */
export function walBetween(before: WalState, after: WalState): { bytes: number; commits: number } | undefined {
  if (before.sequence !== after.sequence) return undefined;
  return { bytes: (after.frames - before.frames) * after.page_bytes, commits: after.commits - before.commits };
}
