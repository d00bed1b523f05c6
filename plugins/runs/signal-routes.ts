import { Errors, limitOf, listRoute, MEMBER, type Route, SCOPED, VIEWER } from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { Json, RunStore } from './contract.ts';
import { lineFault } from './domain/line.ts';
import { keyHeader, target } from './request-target.ts';
import sentSchema from './schema/sent-signal.schema.json' with { type: 'json' };
import signalSchema from './schema/signal.schema.json' with { type: 'json' };
import signalsQuery from './schema/signals-query.schema.json' with { type: 'json' };
import type { SignalViews } from './service/signal-views.ts';

const SIGNALS = `${SCOPED}/runs/:run/signals`;

/** Maximum bytes of the payload of a signal. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;

/** The signals of a run: send one, and see what became of those that were sent. */
export const signalRoutes = (store: RunStore, views: SignalViews): Route[] => [
  {
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
          'Taken by a wait, or queued for the next one of that name. A repeat with the same `Idempotency-Key` changes nothing.',
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
  },
  listRoute({
    path: SIGNALS,
    operation: 'listSignals',
    summary: 'List the signals that were sent to a run, newest first, without their payloads',
    access: VIEWER,
    query: signalsQuery,
    plural: 'signals',
    item: signalSchema,
    description: 'A page of signals.',
    async list(request) {
      const { query } = request;
      const page = {
        limit: limitOf(query),
        cursor: query.cursor,
        state: query.state as 'queued' | 'taken' | undefined,
      };
      const { signals, ...rest } = await views.list(target(request), page);
      return { items: signals, ...rest };
    },
  }),
];

/** `event:<type>:<activity>` is the longest that the engine makes itself. */
const SIGNAL_LENGTH = 128;

/** `event:…` is allowed here: it ends a wait for an event. */
function signalName(name: string): string {
  const message = lineFault(name, SIGNAL_LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name of a signal ${message}`, { errors: [{ pointer: '/path/name', message }] });
}
