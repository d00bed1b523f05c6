import type { Access, HttpRequest } from '../../../kernel/contracts/index.ts';
import handlerSchema from '../schema/handler.schema.json' with { type: 'json' };

export const HANDLERS = '/api/v1/orgs/:org/projects/:project/handlers';
export const HANDLER = `${HANDLERS}/:handler`;

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const MEMBER: Access = { kind: 'project', role: 'member' };

export const nameOf = ({ params }: HttpRequest): string => params.handler ?? '';

const { $schema: _, ...handler } = handlerSchema;

export { handlerSchema };

export const listSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['handlers', 'in_flight', 'queued'],
  properties: {
    handlers: { type: 'array', items: handler },
    in_flight: { type: 'integer', description: 'Handler runs of the project that have not ended; at most 16.' },
    queued: { type: 'integer', description: 'Deliveries that wait for a place among them.' },
    next_cursor: { type: 'string', description: 'Absent on the last page.' },
  },
} as const;
