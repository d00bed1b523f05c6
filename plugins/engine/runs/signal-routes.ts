import { Errors, MEMBER, type Route, SCOPED } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { validateLine } from '../../platform/schema/contract.ts';
import type { Json, RunStore } from './contract.ts';
import { keyHeader, target } from './request-target.ts';
import sentSchema from './schema/sent-signal.schema.json' with { type: 'json' };

const SIGNALS = `${SCOPED}/runs/:run/signals`;

/** Maximum bytes of the payload of a signal. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;

export const sendSignalRoute = (store: Pick<RunStore, 'sendSignal'>): Route => ({
  method: 'POST',
  path: `${SIGNALS}/:name`,
  operation: 'sendSignal',
  summary: 'Send a signal to a run',
  access: MEMBER,
  body: { description: 'The payload: any JSON. Without a body it is null.' },
  body_limit: PAYLOAD_BYTES,
  responses: {
    202: {
      description:
        'A wait consumed the signal, or it is queued for the next wait of that name. A repeat with the same `Idempotency-Key` changes nothing.',
      schema: sentSchema,
    },
  },
  async handle(request) {
    const name = signalName(request.params.name!);
    const payload = (request.body ?? null) as Json;
    const signal = {
      ...target(request),
      name,
      payload,
      idempotency_key: keyHeader(request),
      by: auditSource(request),
    };
    return { status: 202, json: { name, ...(await store.sendSignal(signal)) } };
  },
});

/** `event:<type>:<activity>` is the longest that the engine makes itself. */
const SIGNAL_LENGTH = 128;

/** `event:…` is allowed here: it ends a wait for an event. */
function signalName(name: string): string {
  const message = validateLine(name, SIGNAL_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name of a signal ${message}`, { errors: [{ pointer: '/path/name', message }] });
}
