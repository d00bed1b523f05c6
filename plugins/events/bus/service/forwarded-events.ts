import {
  type BatchOutcome,
  distinct,
  type ErrorExtras,
  errorOfCode,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { EmitResult, PendingEvent } from '../contract.ts';
import { openBody } from '../store/event-rows.ts';
import type { OutcomeRow } from '../store/outcomes.ts';
import { type ForwardRequest, type OutboxRow, readFirstEvents } from '../store/outbox.ts';
import type { Recording } from './recording.ts';

/**
 * True for the service's own announcements: they are never refused or deduplicated, and nobody waits for their
 * number.
 */
export const isForwardable = ({ event, by }: Recording): boolean =>
  !event.refusable && event.dedup === undefined && event.delivery === undefined && by === undefined;

/** Restores an event from the outbox. The org's keys must be ready. */
export function restoreRecording(sealer: Sealer, row: OutboxRow): Recording {
  const { event_id, org_id, project_id, type, event_key: key, source, source_name } = row;
  const { payload, fields, trace = null } = openBody(sealer, row, event_id, row.body);
  const request = row.asked === null ? undefined : (JSON.parse(row.asked) as ForwardRequest);
  const event: PendingEvent = {
    event_id,
    org_id,
    project_id,
    type,
    key,
    payload,
    fields,
    source,
    source_name,
    trace,
    generation: Number(row.generation),
    trusted: row.trusted === 1,
    withheld: row.withheld === 1,
    refusable: request?.refusable ?? false,
    dedup: request?.dedup,
    delivery: request?.delivery,
    forwarded: true,
    bytes: row.body.length,
  };
  return { event, sealed: row.body, by: request?.by, attempted: true, awaited: request ? true : undefined };
}

/** What the numbering server needs to know to answer the server that waits for the outcome. */
export const toForwardRequest = ({ event: { refusable, dedup, delivery }, by }: Recording): ForwardRequest => ({
  refusable,
  dedup,
  delivery,
  by,
});

/** Serialises the outcome for the server that waits for it. Rethrows errors that are not rejections. */
export function serializeOutcome({ event: { event_id } }: Recording, outcome: BatchOutcome<EmitResult>): OutcomeRow {
  if ('ok' in outcome) return { event_id, outcome: JSON.stringify(outcome) };
  const { error } = outcome;
  if (!isServiceError(error)) throw error;
  const { code, message, extras } = error;
  const { data, retryAfterMs } = extras;
  return { event_id, outcome: JSON.stringify({ refused: { code, message, extras: { data, retryAfterMs } } }) };
}

/** The inverse of `answerOf`. */
export function parseOutcome({ outcome }: OutcomeRow): BatchOutcome<EmitResult> {
  const parsed = JSON.parse(outcome) as { ok: EmitResult } | { refused: Parameters<typeof restoreError>[0] };
  return 'ok' in parsed ? parsed : { error: restoreError(parsed.refused) };
}

const restoreError = (refused: { code: string; message: string; extras: ErrorExtras }): Error =>
  errorOfCode(refused.code, refused.message, refused.extras);

const LIFECYCLE_ORDER: Readonly<Record<string, number>> = { manual: 0, spawn: 0, 'run.started': 1 };

/** Sorts the events of each run by when they happened, because the clocks of servers may disagree. */
export function sortByLifecycle(recordings: readonly Recording[]): Recording[] {
  const rank = ({ event }: Recording) => LIFECYCLE_ORDER[event.type] ?? 2;
  const ordered = [...recordings];
  const positions = new Map<string, number[]>();
  for (const [at, { event }] of recordings.entries())
    positions.set(event.source_name, [...(positions.get(event.source_name) ?? []), at]);
  for (const run_positions of positions.values()) {
    const sorted = run_positions.map((at) => recordings[at]!).sort((a, b) => rank(a) - rank(b));
    for (const [index, at] of run_positions.entries()) ordered[at] = sorted[index]!;
  }
  return ordered;
}

/** Serialises the outcome of an event that could not be recorded at all. */
export function serializeFailure(error: unknown): string {
  const code = isServiceError(error) ? error.code : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ refused: { code, message, extras: {} } });
}

/** True when the database is unavailable or busy, which says nothing about the events themselves. */
export const isDatabaseUnavailable = (error: unknown): boolean => isServiceError(error) && error.status === 503;

/** Adds the earlier events of the same runs, wherever they are in the outbox. The head must be locked. */
export async function addEarlierEvents(
  tx: Transaction,
  project_id: string,
  rows: readonly OutboxRow[],
): Promise<readonly OutboxRow[]> {
  const lifecycle = rows.filter(({ source }) => source === 'lifecycle');
  if (lifecycle.length === 0) return rows;
  const included = new Set(rows.map(({ event_id }) => event_id));
  const runs = distinct(lifecycle, ({ source_name }) => source_name);
  const earlier = await readFirstEvents(tx, project_id, runs);
  return [...earlier.filter(({ event_id }) => !included.has(event_id)), ...rows];
}
