import type { Route } from '../../../kernel/contracts/index.ts';
import { oldSecretHeader } from '../deliveries/contract.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import { HOOK } from './domain/names.ts';
import type { RotateHook } from './generated/rotate-hook.ts';
import delivered from './schema/delivered.schema.json' with { type: 'json' };
import item from './schema/hook.schema.json' with { type: 'json' };
import query from './schema/ingest-query.schema.json' with { type: 'json' };
import put from './schema/put-hook.schema.json' with { type: 'json' };
import rotate from './schema/rotate-hook.schema.json' with { type: 'json' };
import type { HookService } from './service/hook-service.ts';
import type { Ingest } from './service/ingest.ts';

/** Only the answer that created a secret shows it. */
export const hookRoutes = (vault: HookService): Route[] =>
  namedResource({
    ...HOOK,
    roles: { read: 'viewer', write: 'admin' },
    schemas: { put, item },
    service: vault,
    texts: {
      list_answer: 'A page of hooks.',
      get: 'Show one event hook',
      received_text: 'The hook.',
      made: 'Created. `secret` is shown only once.',
      replaced: 'Replaced; its address and its shared token are unchanged.',
    },
    actions: [
      {
        method: 'POST',
        path: 'rotate',
        operation: 'rotateEventHook',
        summary: "Replace an event hook's secret",
        role: 'write',
        body: rotate,
        answer: { description: 'Replaced. A shared token is shown only once.', schema: item },
        handle: (call, { body }) => vault.rotate(call, body as RotateHook),
      },
    ],
  });

/** Maximum bytes after decompression. */
const DELIVERY_LIMIT = 2 * 1024 * 1024;

/** `POST {base}/api/v1/hooks/{hook_id}`: public; the secret or the signature decides. */
export const ingestRoute = (ingest: Ingest): Route => ({
  method: 'POST',
  path: '/api/v1/hooks/:hook',
  operation: 'deliverToEventHook',
  summary: 'Deliver to an event hook',
  access: { kind: 'public' },
  query,
  raw_body: true,
  body_limit: DELIVERY_LIMIT,
  responses: {
    200: {
      description: 'The response that the sender expects, as its connector defines it. Nothing is recorded.',
      type: 'text/plain',
    },
    202: { description: 'Recorded now, or when it was first delivered.', schema: delivered },
  },
  async handle({ params, headers, query, raw, ip }) {
    const answer = await ingest.deliver(params.hook ?? '', { headers, query, raw, ip });
    if ('challenge' in answer) return { status: 200, text: answer.challenge, type: 'text/plain; charset=utf-8' };
    const { event_id, type, old_until } = answer;
    return { status: 202, json: { event_id, event_type: type }, headers: oldSecretHeader(old_until) };
  },
});
