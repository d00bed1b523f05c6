import type { RunMasks } from '../../masking/contract.ts';
import type { Claimed, JobContext, JobEnvironmentSource, JobEnvironments, JobVariable } from '../contract.ts';
import type { JobFacts } from '../store/run-lists.ts';

/**
 * Builds a job's environment from all sources, in boot order within each layer. Secret values are stored in the run's
 * mask set before this answers: from then on no view of the run shows them.
 */
export function createJobEnvironments(
  sources: readonly JobEnvironmentSource[],
  facts: (run_id: string) => Promise<JobFacts>,
  masks: Pick<RunMasks, 'remember'>,
): JobEnvironments {
  return {
    async environment(claimed) {
      const { env, ...known } = await facts(claimed.run_id);
      const context = contextOf(claimed, known);
      const layers = { below: [] as JobVariable[], workflow: env, above: [] as JobVariable[] };
      for (const source of sources) layers[source.layer].push(...(await source.provide(context)));
      const secrets = [...layers.below, ...layers.above].filter(({ secret }) => secret);
      const values = secrets.flatMap(({ value, masks: more = [] }) => [value, ...more]);
      return { ...layers, masks: await masks.remember(claimed, values) };
    },
  };
}

function contextOf(claimed: Claimed, known: Omit<JobFacts, 'env'>): JobContext {
  const { org_id, project_id, run_id, activity_id, trusted } = claimed;
  return { org_id, project_id, run_id, activity_id, trusted, ...known };
}
