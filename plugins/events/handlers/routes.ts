import type { Route } from '../../../kernel/contracts/index.ts';
import { EMIT_BYTES } from '../bus/contract.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import { WORKFLOW_BODY_LIMIT, withWorkflow } from '../../engine/runs/contract.ts';
import { HANDLER } from './domain/names.ts';
import type { TestHandlerBody } from './generated/test-handler.ts';
import item from './schema/handler.schema.json' with { type: 'json' };
import put from './schema/put-handler.schema.json' with { type: 'json' };
import test from './schema/test-handler.schema.json' with { type: 'json' };
import tested from './schema/tested-handler.schema.json' with { type: 'json' };
import type { Handlers } from './service/handlers.ts';
import { type TrialDeps, dryRun } from './service/dry-run.ts';

/** A handler receives events from the response to `PUT` on, and none after the response to `DELETE`. */
export const handlerRoutes = (handlers: Handlers, dry_run_deps: TrialDeps): Route[] =>
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
            'Handler runs of the project that are queued or running. At 16, no event starts another run; waiting runs still continue.',
        },
        queued: { type: 'integer', description: 'Deliveries that wait until fewer runs are in flight.' },
      },
    },
    service: handlers,
    body_limit: WORKFLOW_BODY_LIMIT,
    texts: { received_text: 'The registered handler.', put: 'Create or replace a handler', made: 'Registered.' },
    actions: [
      {
        method: 'POST',
        path: 'test',
        operation: 'testHandler',
        summary: 'Test a handler with an event without starting anything',
        role: 'write',
        body: test,
        body_limit: EMIT_BYTES,
        answer: { description: 'The expected result, with the reason.', schema: tested },
        handle: (call, { body }) => dryRun(dry_run_deps, call, body as TestHandlerBody),
      },
    ],
  });
