import { Errors, readSince } from '../../../kernel/contracts/index.ts';
import type { RunStatus } from '../contract.ts';
import { decodeCursor } from './cursor.ts';

const STATUSES: readonly string[] = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];

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
    since: query.since === undefined ? undefined : readSince(query.since, now),
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

function invalid(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice('/query/'.length)} ${message}`, { errors: [{ pointer, message }] });
}
