import type { Route } from '../../kernel/contracts/index.ts';
import { EMIT_BYTES } from '../bus/contract.ts';
import { namedResource } from '../resources/contract.ts';
import { WORKFLOW_BODY_LIMIT, withWorkflow } from '../runs/contract.ts';
import { HANDLER } from './domain/names.ts';
import type { TestHandlerBody } from './generated/test-handler.ts';
import item from './schema/handler.schema.json' with { type: 'json' };
import put from './schema/put-handler.schema.json' with { type: 'json' };
import test from './schema/test-handler.schema.json' with { type: 'json' };
import tested from './schema/tested-handler.schema.json' with { type: 'json' };
import type { Handlers } from './service/handlers.ts';
import { type TrialParts, tryBody } from './service/trial.ts';

/** A handler serves events from the answer to `PUT` on, and none after the answer to `DELETE`. */
export const handlerRoutes = (handlers: Handlers, trial: TrialParts): Route[] =>
  namedResource({
    ...HANDLER,
    roles: { read: 'viewer', write: 'member' },
    schemas: {
      put: withWorkflow(put),
      item,
      list: {
        in_flight: {
          type: 'integer',
          description:
            'Handler runs of the project that are queued or running. At 16 no event starts a further one; those that waited go on all the same.',
        },
        queued: { type: 'integer', description: 'Deliveries that wait until there are fewer.' },
      },
    },
    service: handlers,
    body_limit: WORKFLOW_BODY_LIMIT,
    texts: { got: 'As it is registered.', put: 'Register a handler, or replace it', made: 'Registered.' },
    actions: [
      {
        method: 'POST',
        path: 'test',
        operation: 'testHandler',
        summary: 'Try an event on a handler without starting anything',
        role: 'write',
        body: test,
        body_limit: EMIT_BYTES,
        answer: { description: 'What would happen, and why.', schema: tested },
        handle: (call, { body }) => tryBody(trial, call, body as TestHandlerBody),
      },
    ],
  });
