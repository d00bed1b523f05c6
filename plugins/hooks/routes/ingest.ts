import type { Route } from '../../../kernel/contracts/index.ts';
import type { Ingest } from '../service/ingest.ts';

/** After decompression; exactly this many bytes are taken. */
const BODY_LIMIT = 2 * 1024 * 1024;

const answerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['event_id', 'event_type'],
  properties: { event_id: { type: 'string' }, event_type: { type: 'string' } },
} as const;

/** Any query is taken, for it becomes a part of the event; all but the secret. */
const querySchema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  properties: {
    secret: {
      type: 'string',
      description:
        'The shared token, where no header can be set; better in X-Svc-Hook-Secret, for addresses end up in logs.',
    },
  },
} as const;

/** `POST {base}/api/v1/hooks/{hook_id}`: anybody may ask; the secret or the signature decides. */
export const ingestRoute = (ingest: Ingest): Route => ({
  method: 'POST',
  path: '/api/v1/hooks/:hook',
  operation: 'deliverToEventHook',
  summary: 'Deliver to an event hook',
  access: { kind: 'public' },
  query: querySchema,
  raw_body: true,
  body_limit: BODY_LIMIT,
  responses: { 202: { description: 'Recorded, now or when it was delivered first.', schema: answerSchema } },
  async handle({ params, headers, query, raw }) {
    const { event_id, type } = await ingest.deliver(params.hook ?? '', { headers, query, raw });
    return { status: 202, json: { event_id, event_type: type } };
  },
});
