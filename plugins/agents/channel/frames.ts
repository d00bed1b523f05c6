import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { RawData } from 'ws';
import type { JournalRecord } from '../../runs/contract.ts';
import type { Assignment, ChannelFrame, ChannelPush } from '../contract.ts';

const deflate = promisify(deflateRaw);

/** Characters of one part of a journal: packing and reading it hold the event loop for a few milliseconds at most. */
const PART_CHARS = 256 * 1024;
/** What a record weighs beside its output. */
const RECORD_CHARS = 512;
/** Unpacked, a part is this large at most: one record of the largest output, escaped as badly as can be. */
const PART_MOST_BYTES = 64 * 1024 * 1024;

const charsOf = ({ output, message }: JournalRecord): number => output.length + (message?.length ?? 0) + RECORD_CHARS;

/** How much there is to send, roughly. */
export function weightOf(push: ChannelPush): number {
  if (push.push !== 'assign') return 0;
  return push.assignments.flatMap(({ journal }) => journal).reduce((sum, record) => sum + charsOf(record), 0);
}

/** Does it travel as one frame, as it is? */
export const isShort = (push: ChannelPush): boolean => weightOf(push) <= PART_CHARS;

/** The frames of one push, in the order in which they are to be sent; long journals ahead of their assignments. */
export async function* framesOf(push: ChannelPush): AsyncGenerator<ChannelFrame> {
  if (push.push !== 'assign' || isShort(push)) {
    yield push;
    return;
  }
  for (const assignment of push.assignments) {
    const { activity_id, epoch, journal } = assignment;
    for (const records of partsOf(journal))
      yield { push: 'journal', claim: { activity_id, epoch }, packed: await pack(records) };
    yield { push: 'assign', assignments: [{ ...assignment, journal: [] }] };
  }
}

function* partsOf(journal: readonly JournalRecord[]): Generator<JournalRecord[]> {
  let from = 0;
  let chars = 0;
  for (const [at, record] of journal.entries()) {
    if (chars > 0 && chars + charsOf(record) > PART_CHARS) {
      yield journal.slice(from, at);
      from = at;
      chars = 0;
    }
    chars += charsOf(record);
  }
  yield journal.slice(from);
}

/** Another thread does the packing, so the event loop has its turns between the parts. */
async function pack(records: readonly JournalRecord[]): Promise<string> {
  return (await deflate(JSON.stringify(records), { level: 1 })).toString('base64');
}

function unpack(packed: string): JournalRecord[] {
  const text = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: PART_MOST_BYTES }).toString();
  return JSON.parse(text) as JournalRecord[];
}

/** Puts journals that came ahead back into their assignments. One per connection. */
export class JournalAssembly {
  readonly #ahead = new Map<string, Assignment['journal']>();

  /** Answers the push for the listener, or nothing when the frame only brought a part. Throws at a broken part. */
  take(frame: Extract<ChannelFrame, { push: string }>): ChannelPush | undefined {
    if (frame.push === 'journal') {
      const key = keyOf(frame.claim);
      const records = unpack(frame.packed);
      const part = this.#ahead.get(key);
      if (part) for (const record of records) part.push(record);
      else this.#ahead.set(key, records);
      return undefined;
    }
    if (frame.push !== 'assign') return frame;
    return { push: 'assign', assignments: frame.assignments.map((assignment) => this.#whole(assignment)) };
  }

  #whole(assignment: Assignment): Assignment {
    const key = keyOf(assignment);
    const ahead = this.#ahead.get(key);
    if (!ahead) return assignment;
    this.#ahead.delete(key);
    return { ...assignment, journal: [...ahead, ...assignment.journal] };
  }
}

const keyOf = (claim: { activity_id: string; epoch: number }) => `${claim.activity_id} ${claim.epoch}`;

/** The text of a received message, in whatever pieces it came. */
export function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}
