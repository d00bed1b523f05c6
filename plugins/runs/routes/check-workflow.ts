import type { Route } from '../../../kernel/contracts/index.ts';
import type { RunEngine } from '../contract.ts';
import type { CheckWorkflowBody } from '../generated/check-workflow.ts';
import bodySchema from '../schema/check-workflow.schema.json' with { type: 'json' };
import answerSchema from '../schema/checked-workflow.schema.json' with { type: 'json' };
import { SCOPED, VIEWER } from './paths.ts';

/** A document of 1 MiB, each of whose bytes JSON may write as six. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** `POST {scoped}/check`: compiles without running. Problems are an answer, not an error. */
export function checkWorkflowRoute(engine: RunEngine): Route {
  return {
    method: 'POST',
    path: `${SCOPED}/check`,
    operation: 'checkWorkflow',
    summary: 'Check a workflow without running it',
    access: VIEWER,
    body: bodySchema,
    body_limit: BODY_LIMIT,
    responses: { 200: { description: 'Whether it may run, and what is wrong.', schema: answerSchema } },
    async handle({ body }) {
      const problems = await engine.check(body as CheckWorkflowBody & { env?: Record<string, string> });
      return { status: 200, json: { ok: problems.length === 0, problems } };
    },
  };
}
