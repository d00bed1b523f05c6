import { createHash } from 'node:crypto';
import { Errors, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { EMIT_BYTES } from '../contract.ts';
import type { EmitEventBody } from '../generated/emit-event.ts';
import bodySchema from '../schema/emit-event.schema.json' with { type: 'json' };
import answerSchema from '../schema/emitted-event.schema.json' with { type: 'json' };
import type { Bus } from '../service/bus.ts';
import { MEMBER, SCOPED, scopeOf } from './shapes.ts';

const KEY_LENGTH = 255;

/** `POST {scoped}/events`: from outside of runs, so of generation 0 and trusted as its caller is. */
export function emitEventRoute(bus: Bus): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/events`,
    operation: 'emitEvent',
    summary: 'Emit an event',
    access: MEMBER,
    body: bodySchema,
    body_limit: EMIT_BYTES,
    responses: {
      201: { description: 'The event is recorded, with everything it starts.', schema: answerSchema },
      200: { description: 'The idempotency key was used before: the first event.', schema: answerSchema },
    },
    async handle(request) {
      const { type, key, payload } = request.body as EmitEventBody;
      const dedup = dedupOf(request);
      const result = await bus.emit(
        {
          ...scopeOf(request.scope),
          type,
          key: key ?? null,
          payload: (payload ?? null) as Json,
          source: 'emit',
          source_name: '',
          generation: 0,
          trusted: true,
          ...(dedup === undefined ? {} : { dedup }),
          refusable: true,
        },
        auditSource(request),
      );
      if (result.duplicate) return { status: 200, json: { event: result.event_id, duplicate: true } };
      return { status: 201, json: { event: result.event_id } };
    },
  };
}

function dedupOf({ headers }: HttpRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (key === '' || key.length > KEY_LENGTH) {
    const message = `must have 1 to ${KEY_LENGTH} characters`;
    throw Errors.invalidRequest(`the Idempotency-Key header ${message}`, {
      errors: [{ pointer: '/headers/idempotency-key', message }],
    });
  }
  return `key:${createHash('sha256').update(key).digest('hex')}`;
}
