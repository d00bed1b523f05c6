import type { Caller, MatrixServer } from './callers.ts';
import type { Rule } from './policy.ts';

/** Where a thing is made, by somebody who may. */
export interface Place {
  org: string;
  project: string;
  by: Caller;
}

export type Params = Record<string, string>;

/** One route of the service: who may call it, how to call it, and what it leaves in the audit. */
export interface Sample {
  rule: Rule;
  /** The answer to those who may. */
  status: number;
  body?: unknown;
  /** `?…` of the path. */
  query?: string;
  /** Makes what the path names, in a place; answers the path's parameters beyond the place. */
  target?: (server: MatrixServer, place: Place) => Promise<Params>;
  /** What every success writes into the audit; undefined for what changes nothing. */
  audits?: string;
  /** The entry tells nothing of where the caller was: the org that reads it is none of theirs. */
  unlocated?: boolean;
  /** Where the route decides further than its rule. */
  except?: Partial<Record<Caller, number>>;
  /** Why a foreign thing may be told from an absent one. */
  tells?: string;
}

/** Never to be seen in the audit. */
export const CANARY = 'canary-7f3a9b';

let count = 0;
export const fresh = (prefix: string) => `${prefix}${(count += 1).toString(36).padStart(6, '0')}`;

export const SCOPED = '/api/v1/orgs/:org/projects/:project';
export const inPlace = ({ org, project }: Place) => `/api/v1/orgs/${org}/projects/${project}`;

export async function must(server: MatrixServer, by: Caller, method: string, path: string, body?: unknown) {
  const answer = await server.call(by, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Needs what no agent has, so that it stays queued. */
export const program = { source: '#!/bin/sh\ntrue\n', requires: ['nowhere'], input: CANARY };

export const run: NonNullable<Sample['target']> = async (server, place) => {
  const { run_id } = await must(server, place.by, 'POST', `${inPlace(place)}/runs`, program);
  return { run: run_id };
};
