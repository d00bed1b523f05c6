import { type Database, Errors, type HttpRequest, pageQuery, type Route } from '../../../kernel/contracts/index.ts';
import type { GroupView, LeasePlace } from '../contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

const LOCKS = '/api/v1/orgs/:org/projects/:project/locks';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties,
});

const holder = object({ run_id: text, since: time, age_ms: whole, fence: whole });
const waiting = object({ run_id: text, since: time, age_ms: whole });
const lock = object({ group: text, holder, queue: { type: 'array', items: waiting }, queue_length: whole });
const answer = object({ locks: { type: 'array', items: lock }, next_cursor: text }, ['next_cursor']);

interface Place {
  granted_at: number;
  group_key: string;
}

function readCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const match = /^(\d{1,15}) ([0-9a-f]{40})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match) return { granted_at: Number(match[1]), group_key: match[2]! };
  throw Errors.invalidRequest('the cursor is not one that this list gave', {
    errors: [{ pointer: '/query/cursor', message: 'take `next_cursor` of the page before, unchanged' }],
  });
}

const writeCursor = ({ granted_at, group_key }: Place): string =>
  Buffer.from(`${granted_at} ${group_key}`, 'latin1').toString('base64url');

const iso = (ms: number) => new Date(ms).toISOString();

function render({ group, holder, queue, queue_length }: GroupView, now: number) {
  const age = (since: number) => ({ since: iso(since), age_ms: Math.max(0, now - since) });
  return {
    group,
    holder: { run_id: holder.run_id, ...age(holder.since), fence: holder.fence },
    queue: queue.map((place: LeasePlace) => ({ run_id: place.run_id, ...age(place.asked_at) })),
    queue_length,
  };
}

/** `GET {scoped}/locks`: groups that are held, that with the newest holder first, each with its queue in order. */
export const listLocksRoute = (store: LeaseStore, database: Database): Route => ({
  method: 'GET',
  path: LOCKS,
  operation: 'listLocks',
  summary: 'List the leases that are held, with their holders and queues',
  access: { kind: 'project', role: 'viewer' },
  query: pageQuery,
  responses: { 200: { description: 'A page of leases.', schema: answer } },
  async handle({ scope, query }: HttpRequest) {
    const limit = query.limit === undefined ? 50 : Number(query.limit);
    const found = await store.groups(database, scope, { limit: limit + 1, after: readCursor(query.cursor) });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const now = database.now();
    const locks = shown.map(({ view }) => render(view, now));
    return {
      status: 200,
      json: { locks, ...(last && found.length > limit ? { next_cursor: writeCursor(last) } : {}) },
    };
  },
});
