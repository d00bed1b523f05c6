import { Errors, readSince } from '../../../kernel/contracts/index.ts';

const CURSOR = /^(\d{1,15})\.(aud_[0-9A-Z]{26})$/;

/** Query of both lists: newest first, `cursor` from the answer before. */
export const auditQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    action: {
      type: 'string',
      maxLength: 64,
      pattern: '^[a-z][a-z_]*(\\.[a-z][a-z_]*)?$',
      description: 'An action (`secret.read`), or the noun of several (`secret`).',
    },
    principal: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
      description: 'Name or id of who did it.',
    },
    since: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'A time (2026-01-31T12:00:00Z) or a duration back from now (7d).',
    },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    cursor: { type: 'string', minLength: 1, maxLength: 128 },
  },
} as const;

export interface Place {
  at: number;
  entry_id: string;
}

export interface AuditFilter {
  action: string | undefined;
  principal: string | undefined;
  since: number | undefined;
  limit: number;
  before: Place | undefined;
}

/** Reads a query that its schema let through; `now` is epoch ms. Throws `invalid_request`. */
export function parseFilter(query: Readonly<Record<string, string>>, now: number): AuditFilter {
  return {
    action: query.action,
    principal: query.principal,
    since: query.since === undefined ? undefined : readSince(query.since, now),
    limit: Number(query.limit ?? 50),
    before: query.cursor === undefined ? undefined : parseCursor(query.cursor),
  };
}

export const cursorOf = ({ at, entry_id }: Place): string => Buffer.from(`${at}.${entry_id}`).toString('base64url');

function parseCursor(text: string): Place {
  const found = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!found) throw invalid('/query/cursor', 'is not one that this list gave; take `next_cursor` unchanged');
  return { at: Number(found[1]), entry_id: found[2]! };
}

function invalid(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice('/query/'.length)} ${message}`, { errors: [{ pointer, message }] });
}
