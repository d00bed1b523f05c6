import { type Fault, ServiceError } from 'svc/plugin';
import type { FlowPlan, Flows } from 'svc/flows';
import type { WorkflowKind } from 'svc/runs';

/** Documents are plans in JSON with a `version`. */
export const flowKind = (flows: () => Flows): WorkflowKind => ({
  kind: 'flow',
  type: 'svc-test-flow/v1',
  marks: { versions: ['svc-test-flow/v1'] },
  takes_credentials: false,
  replays: false,
  async check(_scope, { source }) {
    try {
      flows().check(planOf(source));
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return (error.extras.errors ?? []).map(({ pointer, message }: Fault) => ({
        ...{ line: 1, column: 1, code: error.code },
        message: `${pointer} ${message}`,
      }));
    }
  },
  plan: async (_on, _scope, { source }) => ({ activities: [], coordination: flows().coordination(planOf(source)) }),
});

const planOf = (source: string): FlowPlan => ({ ...(JSON.parse(source) as FlowPlan), language: 'test' });
