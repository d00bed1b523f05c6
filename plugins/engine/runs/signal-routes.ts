import {
  type AccessControl,
  Errors,
  type HttpRequest,
  MEMBER,
  type Route,
  SCOPED,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { validateLine } from '../../platform/schema/contract.ts';
import { approverOf, type Json, keyHeader, type RunStore } from './contract.ts';
import type { RejectSignal } from './generated/reject-signal.ts';
import { target } from './request-target.ts';
import rejectSchema from './schema/reject-signal.schema.json' with { type: 'json' };
import sentSchema from './schema/sent-signal.schema.json' with { type: 'json' };

const SIGNALS = `${SCOPED}/runs/:run/signals`;

/** Maximum bytes of the payload of a signal. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;

interface Deps {
  store: Pick<RunStore, 'sendSignal'>;
  /** Looked up for waits that only some people may answer. */
  access: () => Pick<AccessControl, 'authorize'>;
}

/** The sender of a signal. */
const sender = (request: HttpRequest, access: Deps['access']) => ({
  by: auditSource(request),
  approver: approverOf(request, { authorize: (...asked) => access().authorize(...asked) }),
});

export const signalRoutes = (deps: Deps): Route[] => [sendSignalRoute(deps), rejectRoute(deps)];

const sendSignalRoute = ({ store, access }: Deps): Route => ({
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
        'A wait consumed the signal, or it is queued for the next wait with that name. A repeat with the same `Idempotency-Key` changes nothing. A wait can have a form that the payload must match (`signal_invalid`), and approvers (`approver_required`).',
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
      ...sender(request, access),
    };
    return { status: 202, json: { name, ...(await store.sendSignal(signal)) } };
  },
});

const MAX_REASON = 2000;

const rejectRoute = ({ store, access }: Deps): Route => ({
  method: 'POST',
  path: `${SIGNALS}/:name/reject`,
  operation: 'rejectSignal',
  summary: "Reject a run's question",
  access: MEMBER,
  body: rejectSchema,
  responses: {
    202: {
      description: 'The wait has ended: it fails with exit code 125, and records who rejected it.',
      schema: sentSchema,
    },
  },
  async handle(request) {
    const name = signalName(request.params.name!);
    const { reason } = (request.body ?? {}) as RejectSignal;
    const text = reason?.trim().slice(0, MAX_REASON);
    const signal = {
      ...target(request),
      name,
      payload: null,
      rejected: { reason: text === '' ? undefined : text },
      idempotency_key: keyHeader(request),
      ...sender(request, access),
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
  throw Errors.invalidRequest(`the signal name ${message}`, { errors: [{ pointer: '/path/name', message }] });
}
