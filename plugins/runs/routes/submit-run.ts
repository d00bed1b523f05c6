import {
  Errors,
  type HttpAddress,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Json, RunEngine, SubmitResult } from '../contract.ts';
import type { SubmitRunBody } from '../generated/submit-run.ts';
import bodySchema from '../schema/submit-run.schema.json' with { type: 'json' };
import answerSchema from '../schema/submitted-run.schema.json' with { type: 'json' };
import { runUrl } from '../service/render.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** The schema has seen to it: variables are strings, and the input is JSON. */
type Body = SubmitRunBody & { env?: Record<string, string>; credentials?: Record<string, string>; input?: Json };

/** 1 MiB of document and 2 MiB of input, each of whose bytes JSON may write as six (`\u0001`). */
const BODY_LIMIT = 20 * 1024 * 1024;

/** `POST {scoped}/runs`: 201 with the new run, 200 with the first one on a repeated idempotency key. */
export function submitRunRoute(engine: RunEngine, address: HttpAddress): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/runs`,
    operation: 'submitRun',
    summary: 'Run a workflow',
    access: MEMBER,
    body: bodySchema,
    body_limit: BODY_LIMIT,
    responses: {
      201: { description: 'The run was accepted.', schema: answerSchema },
      200: { description: 'The idempotency key was used before: the first run.', schema: answerSchema },
    },
    async handle(request) {
      const body = request.body as Body;
      const result = await engine.submit({
        ...body,
        ...request.scope,
        idempotency_key: keyOf(request, body.idempotency_key),
        trigger: { type: 'manual' },
        trusted: true,
        generation: 0,
        submitted_by: request.principal?.id,
        by: auditSource(request),
      });
      return reply(result, runUrl(address.public_url(), request.scope, result.run_id));
    },
  };
}

function keyOf(request: HttpRequest, member: string | undefined): string | undefined {
  const header = request.headers['idempotency-key'];
  if (member === undefined || header === undefined || member === header) return member ?? header;
  throw Errors.invalidRequest('the Idempotency-Key header and idempotency_key differ; send one of them', {
    errors: [{ pointer: '/idempotency_key', message: 'differs from the Idempotency-Key header' }],
  });
}

function reply({ run_id, status, duplicate, source_differs }: SubmitResult, run_url: string | undefined): HttpReply {
  const url = run_url === undefined ? {} : { run_url };
  if (!duplicate) return { status: 201, json: { run_id, status, ...url } };
  return { status: 200, json: { run_id, duplicate: true, ...(source_differs ? { source_differs } : {}) } };
}
