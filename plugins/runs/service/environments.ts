import type { Claimed, JobContext, JobEnvironmentSource, JobEnvironments, JobVariable } from '../contract.ts';

/** What a job's environment depends on beside its claim; read once per claim. */
export interface JobFacts {
  subject: string | null;
  generation: number;
  env: Record<string, string>;
  credentials: Record<string, string>;
}

/** Composes a job's environment from every source, in boot order within its layer. */
export function createJobEnvironments(
  sources: readonly JobEnvironmentSource[],
  facts: (run_id: string) => Promise<JobFacts>,
): JobEnvironments {
  return {
    async environment(claimed) {
      const { env, ...known } = await facts(claimed.run_id);
      const context = contextOf(claimed, known);
      const layers = { below: [] as JobVariable[], workflow: env, above: [] as JobVariable[] };
      for (const source of sources) layers[source.layer].push(...(await source.provide(context)));
      return layers;
    },
  };
}

function contextOf(claimed: Claimed, known: Omit<JobFacts, 'env'>): JobContext {
  const { org_id, project_id, run_id, activity_id, trusted } = claimed;
  return { org_id, project_id, run_id, activity_id, trusted, ...known };
}
