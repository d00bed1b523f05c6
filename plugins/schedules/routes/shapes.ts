import type { Access, HttpRequest } from '../../../kernel/contracts/index.ts';
import scheduleSchema from '../schema/schedule.schema.json' with { type: 'json' };

export const SCHEDULES = '/api/v1/orgs/:org/projects/:project/schedules';
export const SCHEDULE = `${SCHEDULES}/:schedule`;

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const MEMBER: Access = { kind: 'project', role: 'member' };

export const nameOf = ({ params }: HttpRequest): string => params.schedule ?? '';

const { $schema: _, ...schedule } = scheduleSchema;

export { scheduleSchema };

export const listSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['schedules'],
  properties: {
    schedules: { type: 'array', items: schedule },
    next_cursor: { type: 'string', description: 'Absent on the last page.' },
  },
} as const;
