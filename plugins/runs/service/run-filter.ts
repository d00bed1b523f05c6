import { decodeCursor, Errors, limitOf } from '../../../kernel/contracts/index.ts';
import type { RunStatus } from '../contract.ts';
import { readSince } from '../../schema/contract.ts';
import { type OriginFilter, readOrigin } from '../domain/origin.ts';
import type { RunFilter } from '../store/run-search.ts';

const STATUSES: readonly string[] = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];

/** Parses the query of `GET {scoped}/runs`; `now` is epoch ms, for a `since` that is a duration. */
export function parseRunFilter(query: Readonly<Record<string, string>>, now: number): RunFilter {
  return {
    statuses: query.status === undefined ? [] : parseStatuses(query.status),
    tag: query.tag,
    workflow: query.workflow,
    subject: query.subject,
    trigger: query.trigger === undefined ? undefined : parseTrigger(query.trigger),
    since: query.since === undefined ? undefined : readSince(query.since, now),
    until: query.until === undefined ? undefined : readSince(query.until, now, 'until'),
    limit: limitOf(query),
    before: decodeCursor(query.cursor, 'id')?.[0],
  };
}

function parseStatuses(text: string): RunStatus[] {
  const statuses = text.split(',');
  const wrong = statuses.find((status) => !STATUSES.includes(status));
  if (wrong === undefined) return [...new Set(statuses)] as RunStatus[];
  throw invalid('/query/status', `${JSON.stringify(wrong)} is not one of ${STATUSES.join(', ')}`);
}

function parseTrigger(text: string): OriginFilter {
  const found = readOrigin(text);
  if ('fault' in found) throw invalid('/query/trigger', found.fault);
  return found;
}

function invalid(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice('/query/'.length)} ${message}`, { errors: [{ pointer, message }] });
}
