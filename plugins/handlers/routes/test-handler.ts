import type { Route } from '../../../kernel/contracts/index.ts';
import type { TestHandlerBody } from '../generated/test-handler.ts';
import bodySchema from '../schema/test-handler.schema.json' with { type: 'json' };
import answerSchema from '../schema/tested-handler.schema.json' with { type: 'json' };
import { type TrialParts, tryEvent } from '../service/trial.ts';
import { HANDLER, MEMBER, nameOf } from './shapes.ts';

/** `POST {scoped}/handlers/{name}/test`: what an event on record would do, and why; starts nothing. */
export const testHandlerRoute = (parts: TrialParts): Route => ({
  method: 'POST',
  path: `${HANDLER}/test`,
  operation: 'testHandler',
  summary: 'Try a recorded event on a handler without starting anything',
  access: MEMBER,
  body: bodySchema,
  responses: { 200: { description: 'What would happen, and why.', schema: answerSchema } },
  async handle(request) {
    const { event } = request.body as TestHandlerBody;
    return { status: 200, json: await tryEvent(parts, request.scope, nameOf(request), event) };
  },
});
