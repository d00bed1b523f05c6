import { decodeCursor, Errors, limitOf } from '../../../../kernel/contracts/index.ts';
import { readSince } from '../../../platform/schema/contract.ts';
import { type OriginFilter, parseOrigin, type RunFilter, type RunStatus } from '../../../engine/runs/contract.ts';
import type { RunTerms } from '../contract.ts';
import { RUN_STATUSES } from '../explain/run-statuses.ts';

const STATUSES: readonly string[] = RUN_STATUSES;

const TERMS = ['output', 'error', 'step', 'account'] as const;

/** Returns the terms that only the index of runs decides; undefined without any. */
export function parseRunTerms(query: Readonly<Record<string, string>>): RunTerms | undefined {
  const terms = TERMS.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]] as const]));
  return terms.length === 0 ? undefined : Object.fromEntries(terms);
}

/**
 * Parses the query of `GET {scoped}/runs`; `now` is epoch ms, for a `since` that is a duration, and `at` is the pointer of the
 * query in errors.
 */
export function parseRunFilter(query: Readonly<Record<string, string>>, now: number, at = '/query'): RunFilter {
  return {
    statuses: query.status === undefined ? [] : parseStatuses(query.status, at),
    paused: query.paused === undefined ? undefined : query.paused === 'true',
    tag: query.tag,
    workflow: query.workflow,
    subject: query.subject,
    trigger: query.trigger === undefined ? undefined : parseTrigger(query.trigger, at),
    since: query.since === undefined ? undefined : readSince(query.since, now, 'since', `${at}/since`),
    until: query.until === undefined ? undefined : readSince(query.until, now, 'until', `${at}/until`),
    limit: limitOf(query),
    before: decodeCursor(query.cursor, 'id')?.[0],
  };
}

function parseStatuses(text: string, at: string): RunStatus[] {
  const statuses = text.split(',');
  const unknown = statuses.find((status) => !STATUSES.includes(status));
  if (unknown === undefined) return [...new Set(statuses)] as RunStatus[];
  throw invalid(at, 'status', `${JSON.stringify(unknown)} is not one of ${STATUSES.join(', ')}`);
}

function parseTrigger(text: string, at: string): OriginFilter {
  const origin = parseOrigin(text);
  if ('problem' in origin) throw invalid(at, 'trigger', origin.problem);
  return origin;
}

function invalid(at: string, name: string, message: string) {
  return Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer: `${at}/${name}`, message }] });
}
