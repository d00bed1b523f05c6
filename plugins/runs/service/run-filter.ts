import { Errors, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import type { RunStatus } from '../contract.ts';
import { decodeCursor } from './cursor.ts';

const STATUSES: readonly string[] = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** What a page of runs is asked for; `since` in epoch ms, `before` the run after which the page begins. */
export interface RunFilter {
  statuses: RunStatus[];
  tag: string | undefined;
  workflow: string | undefined;
  since: number | undefined;
  limit: number;
  before: string | undefined;
}

/** Reads the query of `GET {scoped}/runs`; `now` is epoch ms, for a `since` given as a duration. */
export function parseRunFilter(query: Readonly<Record<string, string>>, now: number): RunFilter {
  return {
    statuses: query.status === undefined ? [] : parseStatuses(query.status),
    tag: query.tag,
    workflow: query.workflow,
    since: query.since === undefined ? undefined : parseSince(query.since, now),
    limit: Number(query.limit ?? 50),
    before: decodeCursor(query.cursor, ['id'])?.[0],
  };
}

function parseStatuses(text: string): RunStatus[] {
  const statuses = text.split(',');
  const wrong = statuses.find((status) => !STATUSES.includes(status));
  if (wrong === undefined) return [...new Set(statuses)] as RunStatus[];
  throw invalid('/query/status', `${JSON.stringify(wrong)} is none of ${STATUSES.join(', ')}`);
}

function parseSince(text: string, now: number): number {
  const at = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(at)) return at;
  try {
    return now - parseDuration(text);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw invalid('/query/since', 'is neither a time (2026-01-31, 2026-01-31T12:00:00Z) nor a duration (30m, 2h, 7d)');
  }
}

function invalid(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice('/query/'.length)} ${message}`, { errors: [{ pointer, message }] });
}
