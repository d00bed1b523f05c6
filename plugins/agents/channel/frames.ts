import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { RawData } from 'ws';
import { isServiceError, type ServiceError } from '../../../kernel/contracts/index.ts';
import type { JournalRecord } from '../../runs/contract.ts';
import { parseExact, checkedMeasure, JSON_LIMITS } from '../../schema/contract.ts';
import type { Assignment, ChannelFrame, ChannelPush } from '../contract.ts';

const deflate = promisify(deflateRaw);

/**
 * Characters in one part of a journal: compressing or reading a part blocks the event loop for a few milliseconds at
 * most.
 */
const PART_CHARS = 256 * 1024;
/** The size of a record without its output. */
const RECORD_CHARS = 512;
/** Maximum size of a decompressed part: one record with the largest output in its longest escaped form. */
const PART_MOST_BYTES = 64 * 1024 * 1024;

const charsOf = ({ output, message }: JournalRecord): number => output.length + (message?.length ?? 0) + RECORD_CHARS;

/** Approximate number of characters to send. */
export function weightOf(push: ChannelPush): number {
  if (push.push !== 'assign') return 0;
  return push.assignments.flatMap(({ journal }) => journal).reduce((sum, record) => sum + charsOf(record), 0);
}

/** True when it is sent as one frame without compression. */
export const isShort = (push: ChannelPush): boolean => weightOf(push) <= PART_CHARS;

/** The frames of one push in sending order. Long journals are sent before their assignments. */
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

/** Another thread compresses, so the event loop runs between the parts. */
async function pack(records: readonly JournalRecord[]): Promise<string> {
  return (await deflate(JSON.stringify(records), { level: 1 })).toString('base64');
}

function unpack(packed: string): JournalRecord[] {
  const text = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: PART_MOST_BYTES }).toString();
  return parseExact(text) as JournalRecord[];
}

/** Joins journal parts with their assignments. One for each connection. */
export class JournalAssembly {
  readonly #ahead = new Map<string, Assignment['journal']>();

  /** Returns the complete push, or nothing when the frame was only a part. Throws for an invalid part. */
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

/** A received message as one piece. */
export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** The text of a received message, whatever pieces it arrived in. */
export const textOf = (data: RawData): string => bytesOf(data).toString();

/** A request of an agent. */
export interface RequestFrame {
  id: number;
  op: string;
  body: unknown;
}

/** Members around the JSON that a caller chooses freely: frame, body, call or completion. */
const FRAME_LIMITS = { ...JSON_LIMITS, json_depth: JSON_LIMITS.json_depth + 3 };
/** The bytes in which an agent's own frames have their id. */
const ID_BYTES = 32;

/**
 * The request in a frame. It is measured before it is parsed: what would take long is refused, with the id of the request
 * where it stands at the beginning, as agents write it. Undefined for what is no request.
 */
export function requestIn(bytes: Buffer): RequestFrame | { refused: ServiceError; id: number | undefined } | undefined {
  try {
    const { plain } = checkedMeasure(bytes, FRAME_LIMITS, 'the frame');
    const frame: unknown = plain ? JSON.parse(bytes.toString()) : parseExact(bytes.toString());
    if (typeof frame !== 'object' || frame === null) return undefined;
    const { id, op, body } = frame as { id?: unknown; op?: unknown; body?: unknown };
    return Number.isSafeInteger(id) && typeof op === 'string' ? { id: id as number, op, body } : undefined;
  } catch (error) {
    return isServiceError(error) ? { refused: error, id: idOf(bytes) } : undefined;
  }
}

function idOf(bytes: Buffer): number | undefined {
  const [, id] = /^\{"id":(\d{1,15}),/.exec(bytes.toString('latin1', 0, ID_BYTES)) ?? [];
  return id === undefined ? undefined : Number(id);
}
