import type { RunMasks } from '../../masking/contract.ts';
import type { Claimed, JobContext, JobEnvironmentSource, JobEnvironments, JobVariable } from '../contract.ts';

/** What a job's environment depends on beside its claim; read once per claim. */
export interface JobFacts {
  subject: string | null;
  generation: number;
  env: Record<string, string>;
  credentials: Record<string, string>;
}

/**
 * Composes a job's environment from every source, in boot order within its layer. What is secret in it is on record
 * before it is answered: from then on no view of the run shows it.
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
