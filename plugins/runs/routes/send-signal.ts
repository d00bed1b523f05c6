import { Errors, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Json, RunStore } from '../contract.ts';
import { lineFault } from '../domain/line.ts';
import { checkSignalName } from '../service/signal-name.ts';
import { runId } from '../service/run-views.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** Exactly this many bytes of payload are accepted. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;

/** `POST {scoped}/runs/{run}/signals/{name}`: the body is the payload, any JSON; none is null. */
export function sendSignalRoute(store: RunStore): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/runs/:run/signals/:name`,
    operation: 'sendSignal',
    summary: 'Send a signal to a run',
    access: MEMBER,
    body: { description: 'The payload: any JSON. Without a body it is null.' },
    body_limit: PAYLOAD_BYTES,
    responses: {
      202: {
        description:
          'Taken by a wait, or queued for the next one of that name. A repeat with the same `Idempotency-Key` changes nothing.',
      },
    },
    async handle(request) {
      const { scope, params } = request;
      const { org_id, project_id } = scope;
      const name = checkSignalName(params.name!);
      const payload = (request.body ?? null) as Json;
      const by = auditSource(request);
      const key = idempotencyKey(request);
      const repeat = key === undefined ? {} : { idempotency_key: key };
      await store.sendSignal({ org_id, project_id, run_id: runId(params.run), name, payload, ...repeat, by });
      return { status: 202 };
    },
  };
}

const KEY_LENGTH = 255;

function idempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers['idempotency-key'];
  const fault = key === undefined ? undefined : lineFault(key, KEY_LENGTH);
  if (fault !== undefined) throw Errors.invalidRequest(`the Idempotency-Key header ${fault}`);
  return key;
}
