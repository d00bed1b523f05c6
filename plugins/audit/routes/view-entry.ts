import type { EntryRow } from '../store/entries.ts';

const text = { type: 'string' } as const;

const entrySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'at', 'principal', 'action', 'subject', 'request_id', 'ip'],
  properties: {
    id: text,
    at: { type: 'string', format: 'date-time' },
    principal: {
      description: 'Null: the operator at the database, or the service itself.',
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['kind', 'id', 'name', 'token_id'],
          properties: { kind: { type: 'string', enum: ['user', 'agent'] }, id: text, name: text, token_id: text },
        },
      ],
    },
    action: text,
    subject: text,
    detail: text,
    request_id: text,
    ip: text,
  },
} as const;

export const auditListSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['entries'],
  properties: {
    entries: { type: 'array', items: entrySchema },
    next_cursor: { type: 'string', description: 'Absent on the last page.' },
  },
} as const;

export const viewEntry = (row: EntryRow) => ({
  id: row.entry_id,
  at: new Date(row.at).toISOString(),
  principal:
    row.principal_id === ''
      ? null
      : { kind: row.principal_kind, id: row.principal_id, name: row.principal_name, token_id: row.token_id },
  action: row.action,
  subject: row.subject,
  ...(row.detail === '' ? {} : { detail: row.detail }),
  request_id: row.request_id,
  ip: row.ip,
});
