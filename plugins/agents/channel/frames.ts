import type { RawData } from 'ws';
import type { Assignment, ChannelFrame, ChannelPush } from '../contract.ts';

/** Records of one `journal` frame in characters of output; with their envelopes a frame stays well below 8 MiB. */
const JOURNAL_FRAME_CHARS = 4 * 1024 * 1024;
/** What a record weighs beside its output. */
const RECORD_CHARS = 512;

/** The frames of one push, in the order in which they are to be sent. */
export function* framesOf(push: ChannelPush): Generator<ChannelFrame> {
  if (push.push !== 'assign') {
    yield push;
    return;
  }
  for (const assignment of push.assignments) yield* assignmentFrames(assignment);
}

function* assignmentFrames(assignment: Assignment): Generator<ChannelFrame> {
  const { activity_id, epoch } = assignment;
  let from = 0;
  let chars = 0;
  for (const [at, record] of assignment.journal.entries()) {
    const size = record.output.length + (record.message?.length ?? 0) + RECORD_CHARS;
    if (chars > 0 && chars + size > JOURNAL_FRAME_CHARS) {
      yield { push: 'journal', claim: { activity_id, epoch }, records: assignment.journal.slice(from, at) };
      from = at;
      chars = 0;
    }
    chars += size;
  }
  const journal = from === 0 ? assignment.journal : assignment.journal.slice(from);
  yield { push: 'assign', assignments: [{ ...assignment, journal }] };
}

/** Puts journals that came ahead back into their assignments. One per connection. */
export class JournalAssembly {
  readonly #ahead = new Map<string, Assignment['journal']>();

  /** Answers the push for the listener, or nothing when the frame only brought a part. */
  take(frame: Extract<ChannelFrame, { push: string }>): ChannelPush | undefined {
    if (frame.push === 'journal') {
      const key = keyOf(frame.claim);
      const part = this.#ahead.get(key);
      if (part) for (const record of frame.records) part.push(record);
      else this.#ahead.set(key, frame.records);
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
