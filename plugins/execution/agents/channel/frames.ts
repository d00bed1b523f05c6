import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { RawData } from 'ws';
import { isServiceError, type ServiceError } from '../../../../kernel/contracts/index.ts';
import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { parseExact, parseExactYielding, assertWithinLimits, JSON_LIMITS } from '../../../platform/schema/contract.ts';
import type { Assignment, ChannelFrame, ChannelPush } from '../contract.ts';

const deflate = promisify(deflateRaw);

/**
 * Characters in one part of a journal; compressing or parsing a part blocks the event loop for a few milliseconds at
 * most.
 */
const PART_CHARS = 256 * 1024;
/** Approximate size of a record without its output. */
const RECORD_CHARS = 512;
/** Maximum size of a decompressed part: one record with the largest output in its longest escaped form. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

const recordChars = ({ output, message }: JournalRecord): number =>
  output.length + (message?.length ?? 0) + RECORD_CHARS;

/** Returns the approximate number of characters to send. */
export function estimateChars(push: ChannelPush): number {
  if (push.push !== 'assign') return 0;
  return push.assignments.flatMap(({ journal }) => journal).reduce((sum, record) => sum + recordChars(record), 0);
}

/** True when the push is sent as one uncompressed frame. */
export const isShort = (push: ChannelPush): boolean => estimateChars(push) <= PART_CHARS;

/** Yields the frames of one push in sending order. Long journals precede their assignments. */
export async function* toFrames(push: ChannelPush): AsyncGenerator<ChannelFrame> {
  if (push.push !== 'assign' || isShort(push)) {
    yield push;
    return;
  }
  for (const assignment of push.assignments) {
    const { activity_id, epoch, journal } = assignment;
    for (const records of splitJournal(journal))
      yield { push: 'journal', claim: { activity_id, epoch }, packed: await pack(records) };
    yield { push: 'assign', assignments: [{ ...assignment, journal: [] }] };
  }
}

function* splitJournal(journal: readonly JournalRecord[]): Generator<JournalRecord[]> {
  let from = 0;
  let chars = 0;
  for (const [at, record] of journal.entries()) {
    if (chars > 0 && chars + recordChars(record) > PART_CHARS) {
      yield journal.slice(from, at);
      from = at;
      chars = 0;
    }
    chars += recordChars(record);
  }
  yield journal.slice(from);
}

/** Another thread compresses, so the event loop runs in between. */
async function pack(records: readonly JournalRecord[]): Promise<string> {
  return (await deflate(JSON.stringify(records), { level: 1 })).toString('base64');
}

function unpack(packed: string): JournalRecord[] {
  const text = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_PART_BYTES }).toString();
  return parseExact(text) as JournalRecord[];
}

/** Joins journal parts with their assignments. Each connection has its own. */
export class JournalAssembly {
  readonly #received = new Map<string, Assignment['journal']>();

  /** Returns the complete push, or undefined if the frame was only a part. Throws for an invalid part. */
  acceptFrame(frame: Extract<ChannelFrame, { push: string }>): ChannelPush | undefined {
    if (frame.push === 'journal') {
      const key = claimKey(frame.claim);
      const records = unpack(frame.packed);
      const received = this.#received.get(key);
      if (received) for (const record of records) received.push(record);
      else this.#received.set(key, records);
      return undefined;
    }
    if (frame.push !== 'assign') return frame;
    return { push: 'assign', assignments: frame.assignments.map((assignment) => this.#assemble(assignment)) };
  }

  #assemble(assignment: Assignment): Assignment {
    const key = claimKey(assignment);
    const received = this.#received.get(key);
    if (!received) return assignment;
    this.#received.delete(key);
    return { ...assignment, journal: [...received, ...assignment.journal] };
  }
}

const claimKey = (claim: { activity_id: string; epoch: number }) => `${claim.activity_id} ${claim.epoch}`;

/** Joins the fragments of a received message. */
export function joinFragments(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** Returns the text of a received message. */
export const toText = (data: RawData): string => joinFragments(data).toString();

/** A request of an agent. */
export interface RequestFrame {
  id: number;
  op: string;
  body: unknown;
}

/** Limits for a frame: frame, body, call and completion nest around the JSON that a caller chooses freely. */
const FRAME_LIMITS = { ...JSON_LIMITS, json_depth: JSON_LIMITS.json_depth + 3 };
/** An agent writes the id of a frame within its first bytes. */
const ID_BYTES = 32;

export type ParsedRequest = RequestFrame | { rejection: ServiceError; id: number | undefined } | undefined;

/**
 * Parses a request. It is measured first, and one that would take long to parse is refused, with the id of the
 * request if it is at the beginning, where agents write it. Returns undefined for anything that is not a request.
 */
export function parseRequest(bytes: Buffer): ParsedRequest {
  try {
    const { canonical: is_plain } = assertWithinLimits(bytes, FRAME_LIMITS, 'the frame');
    return toRequest(is_plain ? JSON.parse(bytes.toString()) : parseExact(bytes.toString()));
  } catch (error) {
    return toRejection(error, bytes);
  }
}

/** Like `parseRequest`, for a large frame, in several turns of the event loop. */
export async function parseLargeRequest(bytes: Buffer): Promise<ParsedRequest> {
  try {
    return toRequest(await parseExactYielding(bytes, FRAME_LIMITS, 'the frame'));
  } catch (error) {
    return toRejection(error, bytes);
  }
}

function toRequest(frame: unknown): RequestFrame | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined;
  const { id, op, body } = frame as { id?: unknown; op?: unknown; body?: unknown };
  return Number.isSafeInteger(id) && typeof op === 'string' ? { id: id as number, op, body } : undefined;
}

const toRejection = (error: unknown, bytes: Buffer) =>
  isServiceError(error) ? { rejection: error, id: findId(bytes) } : undefined;

function findId(bytes: Buffer): number | undefined {
  const [, id] = /^\{"id":(\d{1,15}),/.exec(bytes.toString('latin1', 0, ID_BYTES)) ?? [];
  return id === undefined ? undefined : Number(id);
}
