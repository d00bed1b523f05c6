import type { Access, HttpRequest } from '../../../kernel/contracts/index.ts';
import webhookSchema from '../schema/webhook.schema.json' with { type: 'json' };

export const WEBHOOKS = '/api/v1/orgs/:org/projects/:project/webhooks';
export const WEBHOOK = `${WEBHOOKS}/:webhook`;
export const DELIVERY = '/api/v1/forges/:webhook_id';

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const ADMIN: Access = { kind: 'project', role: 'admin' };

export const nameOf = ({ params }: HttpRequest): string => params.webhook ?? '';

const { $schema: _, ...webhook } = webhookSchema;

export { webhookSchema };

export const listSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['webhooks'],
  properties: {
    webhooks: { type: 'array', items: webhook },
    next_cursor: { type: 'string', description: 'Absent on the last page.' },
  },
} as const;

export const warningsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['warnings'],
  properties: { warnings: { type: 'array', items: { type: 'string' } } },
} as const;

export const takenSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['event_id', 'event_type'],
  properties: {
    event_id: { type: 'string' },
    event_type: { type: 'string' },
    duplicate: {
      type: 'boolean',
      description: 'Present and true: the delivery was seen before, and this is its event.',
    },
  },
} as const;
