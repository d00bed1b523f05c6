import {
  type BatchOutcome,
  distinct,
  type ErrorExtras,
  errorOfCode,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { EmitResult, PendingEvent } from '../contract.ts';
import { openBody } from '../store/event-rows.ts';
import type { AnswerRow } from '../store/answers.ts';
import { type Asked, type OutboxRow, readFirstOf } from '../store/outbox.ts';
import type { Recording } from './recording.ts';

/** The service's own announcements: never refused, never repeated, and nobody is told their number. */
export const canBeHandedOver = ({ event, by }: Recording): boolean =>
  !event.refusable && event.dedup === undefined && event.delivery === undefined && by === undefined;

/** An event of the outbox. The org's keys must be ready. */
export function recordingOf(sealer: Sealer, row: OutboxRow): Recording {
  const { event_id, org_id, project_id, type, event_key: key, source, source_name } = row;
  const { payload, fields, trace = null } = openBody(sealer, row, event_id, row.body);
  const asked = row.asked === null ? undefined : (JSON.parse(row.asked) as Asked);
  const event: PendingEvent = {
    ...{ event_id, org_id, project_id, type, key, payload, source, source_name },
    ...(fields === undefined ? {} : { fields }),
    trace,
    generation: Number(row.generation),
    trusted: row.trusted === 1,
    withheld: row.withheld === 1,
    refusable: asked?.refusable ?? false,
    ...(asked?.dedup === undefined ? {} : { dedup: asked.dedup }),
    ...(asked?.delivery === undefined ? {} : { delivery: asked.delivery }),
    handed_over: true,
  };
  return { event, sealed: row.body, by: asked?.by, attempted: true, ...(asked ? { awaited: true } : {}) };
}

/** What a server that waits for the outcome has to tell about an event. */
export const askedOf = ({ event: { refusable, dedup, delivery }, by }: Recording): Asked => ({
  refusable,
  ...(dedup === undefined ? {} : { dedup }),
  ...(delivery === undefined ? {} : { delivery }),
  ...(by === undefined ? {} : { by }),
});

/** The outcome for the server that waits for it. Throws what is no refusal. */
export function answerOf({ event: { event_id } }: Recording, outcome: BatchOutcome<EmitResult>): AnswerRow {
  if ('ok' in outcome) return { event_id, outcome: JSON.stringify(outcome) };
  const { error } = outcome;
  if (!isServiceError(error)) throw error;
  const { code, message, extras } = error;
  const { data, retryAfterMs } = extras;
  return { event_id, outcome: JSON.stringify({ refused: { code, message, extras: { data, retryAfterMs } } }) };
}

/** The reverse of `answerOf`. */
export function outcomeOf({ outcome }: AnswerRow): BatchOutcome<EmitResult> {
  const parsed = JSON.parse(outcome) as { ok: EmitResult } | { refused: Parameters<typeof refusalOf>[0] };
  return 'ok' in parsed ? parsed : { error: refusalOf(parsed.refused) };
}

const refusalOf = (refused: { code: string; message: string; extras: ErrorExtras }): Error =>
  errorOfCode(refused.code, refused.message, refused.extras);

const STEPS: Readonly<Record<string, number>> = { manual: 0, spawn: 0, 'run.started': 1 };

/** The events of one run in the order in which they happened, should the servers' clocks tell another one. */
export function inOrderOfRuns(recordings: readonly Recording[]): Recording[] {
  const step = ({ event }: Recording) => STEPS[event.type] ?? 2;
  const ordered = [...recordings];
  const places = new Map<string, number[]>();
  for (const [at, { event }] of recordings.entries())
    places.set(event.source_name, [...(places.get(event.source_name) ?? []), at]);
  for (const own of places.values()) {
    const sorted = own.map((at) => recordings[at]!).sort((a, b) => step(a) - step(b));
    for (const [index, at] of own.entries()) ordered[at] = sorted[index]!;
  }
  return ordered;
}

/** The same for an event that could not be recorded at all. */
export function failureOf(error: unknown): string {
  const code = isServiceError(error) ? error.code : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ refused: { code, message, extras: {} } });
}

/** The database does not answer, or is busy: nothing is known against the events. */
export const isOfTheDatabase = (error: unknown): boolean => isServiceError(error) && error.status === 503;

/** With the earlier events of the same runs, wherever they lie in the outbox. The head must be locked. */
export async function withFirsts(
  tx: Transaction,
  project_id: string,
  rows: readonly OutboxRow[],
): Promise<readonly OutboxRow[]> {
  const ended = rows.filter(({ source }) => source === 'lifecycle');
  if (ended.length === 0) return rows;
  const known = new Set(rows.map(({ event_id }) => event_id));
  const runs = distinct(ended, ({ source_name }) => source_name);
  const firsts = await readFirstOf(tx, project_id, runs);
  return [...firsts.filter(({ event_id }) => !known.has(event_id)), ...rows];
}
