import { type Access, Errors, type JsonSchema } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../contract.ts';
import type { Event } from '../generated/event.ts';
import type { EventHeader } from '../store/event-rows.ts';

/** `{scoped}` of the contract. */
export const SCOPED = '/api/v1/orgs/:org/projects/:project';

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const MEMBER: Access = { kind: 'project', role: 'member' };

export const iso = (ms: number): string => new Date(Number(ms)).toISOString();

export const scopeOf = ({ org_id, project_id }: ProjectScope): ProjectScope => ({ org_id, project_id });

/** A list's answer. */
export const listSchema = (name: string, items: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required: [name],
  properties: { [name]: { type: 'array', items }, next_cursor: { type: 'string' } },
});

type Headed = Pick<EventHeader, 'event_id' | 'type' | 'source' | 'source_name' | 'generation' | 'recorded_at'>;

export const renderEvent = (event: Headed & { trusted: number | boolean }, key: string | null): Event => ({
  event: event.event_id,
  type: event.type,
  key,
  source: event.source,
  source_name: event.source_name,
  generation: Number(event.generation),
  trusted: Boolean(event.trusted),
  recorded_at: iso(event.recorded_at),
});

const badCursor = () =>
  Errors.invalidRequest('the cursor is not one that this list gave', {
    errors: [{ pointer: '/query/cursor', message: 'take `next_cursor` of the page before, unchanged' }],
  });

export const cursorOf = (place: string): string => Buffer.from(place, 'latin1').toString('base64url');

/** What `cursorOf` was given; throws `invalid_request` when it does not look like that. */
export function placeOf(cursor: string, pattern: RegExp): string {
  const place = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!pattern.test(place) || cursorOf(place) !== cursor) throw badCursor();
  return place;
}
