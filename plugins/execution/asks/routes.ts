import {
  Errors,
  type HttpRequest,
  isId,
  isServiceError,
  limitOf,
  listRoute,
  MEMBER,
  parseDuration,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { checkRunId, type Json, keyHeader, waitOf } from '../../engine/runs/contract.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { validateLine } from '../../platform/schema/contract.ts';
import { DEFAULT_TIMEOUT, MAX_NAME_LENGTH, MAX_TIMEOUT_MS } from './domain/ask.ts';
import type { CreateAsk } from './generated/create-ask.ts';
import askQuery from './schema/ask-query.schema.json' with { type: 'json' };
import askSchema from './schema/ask.schema.json' with { type: 'json' };
import createSchema from './schema/create-ask.schema.json' with { type: 'json' };
import type { AskWaits } from './service/ask-waits.ts';
import type { Asks } from './service/asks.ts';
import type { AskScope } from './store/asks.ts';

const ASKS = `${SCOPED}/runs/:run/asks`;

/** The payload with its spaces, and the rest of the body. */
const BODY_BYTES = 1024 * 1024;

export interface AskRoutesDeps {
  asks: Asks;
  waits: AskWaits;
}

const runOf = ({ scope: { org_id, project_id }, params }: HttpRequest): AskScope => ({
  org_id,
  project_id,
  run_id: checkRunId(params.run),
});

export const askRoutes = (deps: AskRoutesDeps): Route[] => [
  createAskRoute(deps),
  readAskRoute(deps),
  listRouteOf(deps),
];

const createAskRoute = ({ asks, waits }: AskRoutesDeps): Route => ({
  method: 'POST',
  path: ASKS,
  operation: 'createAsk',
  summary: 'Ask a run a question',
  access: MEMBER,
  query: askQuery,
  body: createSchema,
  body_limit: BODY_BYTES,
  responses: {
    201: {
      description:
        'The ask. A wait in the run has taken it, or it is queued for the next wait with this name. With `wait`, the response is\n' +
        'sent when the run has answered.',
      schema: askSchema,
    },
    200: {
      description: 'The run was already asked with this `Idempotency-Key`. The response is the first ask.',
      schema: askSchema,
    },
  },
  async handle(request) {
    const run = runOf(request);
    const { name, payload, timeout = DEFAULT_TIMEOUT } = request.body as CreateAsk;
    const ask = {
      name: checkName(name),
      payload: payload as Json | undefined,
      timeout_ms: readTimeout(timeout),
      idempotency_key: keyHeader(request),
      sent_by: request.principal?.name ?? null,
      by: auditSource(request),
    };
    const wait_ms = waitOf(request.query);
    const send = async () => {
      const { ask_id, duplicate } = await asks.send(run, ask);
      const json =
        wait_ms === undefined
          ? await asks.read(run, ask_id)
          : await waits.until(run, ask_id, waiting(request, wait_ms));
      return { status: duplicate ? 200 : 201, json };
    };
    // A request that waits counts before anything is asked.
    return wait_ms === undefined ? send() : waits.holding(run, send);
  },
});

const waiting = (request: HttpRequest, wait_ms: number) => ({
  wait_ms,
  signal: request.signal,
  admitted: () => request.admitted(),
});

const readAskRoute = ({ asks, waits }: AskRoutesDeps): Route => ({
  method: 'GET',
  path: `${ASKS}/:ask`,
  operation: 'getAsk',
  summary: 'Show an ask, with the answer of the run',
  access: VIEWER,
  query: askQuery,
  responses: { 200: { description: 'The ask.', schema: askSchema } },
  async handle(request) {
    const run = runOf(request);
    const ask_id = request.params.ask!;
    if (!isId(ask_id)) throw Errors.notFound(`no ask ${ask_id.slice(0, 64)} in run ${run.run_id}`);
    const wait_ms = waitOf(request.query);
    const json =
      wait_ms === undefined
        ? await asks.read(run, ask_id)
        : await waits.holding(run, () => waits.until(run, ask_id, waiting(request, wait_ms)));
    return { status: 200, json };
  },
});

const listRouteOf = ({ asks }: AskRoutesDeps): Route =>
  listRoute({
    path: ASKS,
    operation: 'listAsks',
    summary: 'List the asks of a run, newest first, without payloads or answers',
    access: VIEWER,
    plural: 'asks',
    item: askSchema,
    description: 'A page of asks.',
    list: (request) => asks.list(runOf(request), { limit: limitOf(request.query), cursor: request.query.cursor }),
  });

function checkName(name: string): string {
  const message = validateLine(name, MAX_NAME_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the ask name ${message}`, { errors: [{ pointer: '/name', message }] });
}

function readTimeout(timeout: string): number {
  try {
    const timeout_ms = parseDuration(timeout);
    if (timeout_ms > 0 && timeout_ms <= MAX_TIMEOUT_MS) return timeout_ms;
  } catch (error) {
    if (!isServiceError(error, 'duration_invalid')) throw error;
  }
  const message = 'must be a duration of more than 0 and at most 30d, such as 30s or 5m';
  throw Errors.invalidRequest(`timeout ${message}`, { errors: [{ pointer: '/timeout', message }] });
}
