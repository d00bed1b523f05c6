import { largePages, limitOf, listRoute, type Route, SCOPED, VIEWER } from '../../../../kernel/contracts/index.ts';
import nodeSchema from '../schema/node.schema.json' with { type: 'json' };
import stepSchema from '../schema/step.schema.json' with { type: 'json' };
import stepsQuery from '../schema/steps-query.schema.json' with { type: 'json' };
import type { NodeViews } from '../service/node-views.ts';
import { renderStep } from '../service/render.ts';
import type { StepViews } from '../service/step-views.ts';

export const stepsRoute = (steps: StepViews, nodes: NodeViews): Route =>
  largePages(
    listRoute({
      path: `${SCOPED}/runs/:run/steps`,
      operation: 'listSteps',
      summary: "List a run's durable calls, or its nodes, in order",
      access: VIEWER,
      query: stepsQuery,
      plural: 'steps',
      item: { anyOf: [stepSchema, nodeSchema] },
      description: 'A page of calls, or a page of nodes for a graph or pipeline run.',
      async list({ scope, params, query }) {
        const { node, open, output, calls } = query;
        const page = { limit: limitOf(query), cursor: query.cursor };
        const nodeQuery = { ...page, of: node, open: open === 'true', outputs: output === 'true' };
        const found = calls === 'true' ? undefined : await nodes.list(scope, params.run!, nodeQuery);
        if (found) return { items: found.nodes, next_cursor: found.next_cursor };
        const activity_id = node === undefined ? undefined : await nodes.findActivity(scope, params.run!, node);
        const { steps: items, next_cursor } = await steps.list(scope, params.run!, { ...page, activity_id });
        return { items: items.map(renderStep), next_cursor };
      },
    }),
  );
