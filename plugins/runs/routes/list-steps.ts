import type { Route } from '../../../kernel/contracts/index.ts';
import querySchema from '../schema/page-query.schema.json' with { type: 'json' };
import stepSchema from '../schema/step.schema.json' with { type: 'json' };
import { renderStep } from '../service/render.ts';
import type { StepViews } from '../service/step-views.ts';
import { listSchema } from './list-schema.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** `GET {scoped}/runs/{run}/steps`: durable calls in the order of their journal. */
export function listStepsRoute(views: StepViews): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/runs/:run/steps`,
    operation: 'listSteps',
    summary: 'List the durable calls of a run, in order',
    access: VIEWER,
    query: querySchema,
    responses: { 200: { description: 'A page of steps.', schema: listSchema('steps', stepSchema) } },
    async handle({ scope, params, query }) {
      const page = { limit: Number(query.limit ?? 50), cursor: query.cursor };
      const { steps, next_cursor } = await views.list(scope, params.run!, page);
      return { status: 200, json: { steps: steps.map(renderStep), next_cursor } };
    },
  };
}
