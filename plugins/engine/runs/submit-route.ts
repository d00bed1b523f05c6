import {
  Errors,
  isServiceError,
  type HttpReply,
  type HttpRequest,
  MEMBER,
  type Route,
  SCOPED,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import {
  type RunEngine,
  type SubmitResult,
  waitOf,
  type Workflow,
  WORKFLOW_BODY_LIMIT,
  withWorkflow,
} from './contract.ts';
import type { SubmitRunBody } from './generated/submit-run.ts';
import runSchema from './schema/run.schema.json' with { type: 'json' };
import submitSchema from './schema/submit-run.schema.json' with { type: 'json' };
import submittedSchema from './schema/submitted-run.schema.json' with { type: 'json' };
import waitQuery from './schema/wait-query.schema.json' with { type: 'json' };
import { type RunWaits, waitCaller } from './service/run-waits.ts';

/** Undefined without a public URL. */
export type UrlOf = (request: HttpRequest, run_id: string) => string | undefined;

export const withUrl = <R extends { run_id: string }>(request: HttpRequest, run: R, urlOf: UrlOf) => ({
  ...run,
  run_url: urlOf(request, run.run_id),
});

export interface SubmitDeps {
  engine: RunEngine;
  waits: RunWaits;
  urlOf: UrlOf;
}

const { duplicate, source_differs } = submittedSchema.properties;

/** What a submit with `wait` answers: all that other submits answer, and more. */
const waitedSchema = {
  ...runSchema,
  title: 'WaitedRun',
  description: 'The run of a submission with `wait`.',
  properties: { ...runSchema.properties, duplicate, source_differs },
};

const answerSchema = {
  title: 'SubmitAnswer',
  description: 'With `wait`, the whole run; otherwise, its ID and status.',
  anyOf: [{ $ref: '#/$defs/submitted' }, { $ref: '#/$defs/waited' }],
  $defs: { submitted: submittedSchema, waited: waitedSchema },
};

export const submitRoute = (deps: SubmitDeps): Route => ({
  method: 'POST',
  path: `${SCOPED}/runs`,
  operation: 'submitRun',
  summary: 'Run a workflow',
  access: MEMBER,
  query: waitQuery,
  body: withWorkflow(submitSchema),
  body_limit: WORKFLOW_BODY_LIMIT,
  responses: {
    201: { description: 'The run was accepted.', schema: answerSchema },
    200: { description: 'The idempotency key was used before; the response is the first run.', schema: answerSchema },
  },
  handle: (request) => submit(deps, request),
});

async function submit({ engine, waits, urlOf }: SubmitDeps, request: HttpRequest): Promise<HttpReply> {
  const wait_ms = waitOf(request.query);
  if (wait_ms === undefined) {
    const result = await submitted(engine, request);
    const { run_id, status } = result;
    return reply(result, result.duplicate ? { run_id } : withUrl(request, { run_id, status }, urlOf));
  }
  const { scope, signal } = request;
  const caller = waitCaller(request);
  // A caller who may not wait submits nothing.
  return waits.holding(scope, caller, async () => {
    const result = await submitted(engine, request);
    const { run_id } = result;
    const status = result.duplicate ? undefined : result.status;
    const run = await waits
      .until(scope, run_id, { caller, wait_ms, signal, status, ended: result.ended })
      .catch((error) => {
        // It was submitted, and a refusal would have it submitted again.
        if (isServiceError(error, 'rate_limited')) return { run_id, status: result.status };
        throw error;
      });
    return reply(result, withUrl(request, run, urlOf));
  });
}

function reply({ duplicate: repeated, source_differs: differs }: SubmitResult, json: object): HttpReply {
  if (!repeated) return { status: 201, json };
  return { status: 200, json: { ...json, duplicate: true, source_differs: differs || undefined } };
}

type SubmitBody = Workflow & Pick<SubmitRunBody, 'idempotency_key' | 'paused'>;

function submitted(engine: RunEngine, request: HttpRequest): Promise<SubmitResult> {
  const { paused, ...body } = request.body as SubmitBody;
  return engine.submit({
    ...body,
    ...(paused === true && { paused: { by: request.principal?.name } }),
    ...request.scope,
    idempotency_key: submitKey(request, body.idempotency_key),
    trigger: { type: 'manual' },
    trusted: true,
    generation: 0,
    submitted_by: request.principal?.id,
    by: auditSource(request),
  });
}

function submitKey({ headers }: HttpRequest, member: string | undefined): string | undefined {
  const header = headers['idempotency-key'];
  if (member === undefined || header === undefined || member === header) return member ?? header;
  throw Errors.invalidRequest('the Idempotency-Key header and idempotency_key differ; send one of them', {
    errors: [{ pointer: '/idempotency_key', message: 'differs from the Idempotency-Key header' }],
  });
}
