import type { RunMasks } from '../../../security/masking/contract.ts';
import type {
  Claimed,
  ClaimPreparation,
  JobContext,
  JobEnvironmentLayers,
  JobEnvironmentSource,
  JobEnvironments,
  JobVariable,
} from '../contract.ts';
import { type OwnVariables, ownVariables } from '../domain/own-variables.ts';
import type { RunEnvironment } from '../store/rows/runs.ts';

export interface EnvironmentDeps {
  given: readonly (JobEnvironmentSource | ClaimPreparation)[];
  facts(run_id: string): Promise<RunEnvironment>;
  masks: Pick<RunMasks, 'remember'>;
}

/**
 * Builds a job's environment from all sources, in boot order within each layer, or lets its executor's preparation do it.
 * Secret values are stored in the run's mask set before this answers: from then on no view of the run shows them.
 */
export function createJobEnvironments({ given: all, facts, masks }: EnvironmentDeps): JobEnvironments {
  const sources = all.flatMap((one) => ('executor' in one ? [] : [one]));
  const prepared = new Map(all.flatMap((one) => ('executor' in one ? [[one.executor, one] as const] : [])));

  async function variablesOf(claimed: Claimed): Promise<JobEnvironmentLayers> {
    const own = ownVariables(claimed.spec);
    const { env, ...known } = await facts(claimed.run_id);
    const context = contextOf(claimed, known, own);
    const layers: Record<JobEnvironmentSource['layer'], JobVariable[]> = { base: [], below: [], above: [] };
    for (const source of sources) layers[source.layer].push(...(await source.provide(context)));
    const { base, above } = layers;
    const below = [...base, ...layers.below];
    const secrets = [...below, ...above].filter(({ secret }) => secret);
    const values = secrets.flatMap(({ value, masks: more = [] }) => [value, ...more]);
    return { below, workflow: { ...env, ...own.env }, above, masks: await masksOf(claimed, values) };
  }

  /** A run also has values of the runs that it came from. An agent for untrusted runs must not learn them. */
  async function masksOf(claimed: Claimed, own: readonly string[]): Promise<readonly string[]> {
    const all = await masks.remember(claimed, own);
    return claimed.trusted ? all : own;
  }

  return {
    async environment(claimed) {
      const preparation = prepared.get(claimed.executor);
      if (!preparation) return variablesOf(claimed);
      const { given, masks: texts } = await preparation.prepare(claimed);
      return { below: [], workflow: {}, above: [], given, masks: await masksOf(claimed, texts) };
    },
  };
}

/** What the activity itself sets wins over what its run names for the same variable. */
function contextOf(
  claimed: Claimed,
  { credentials, ...known }: Omit<RunEnvironment, 'env'>,
  own: OwnVariables,
): JobContext {
  const { org_id, project_id, run_id, activity_id, trusted } = claimed;
  const left = Object.entries(credentials).filter(([variable]) => !Object.hasOwn(own.env, variable));
  const both = { ...Object.fromEntries(left), ...own.credentials };
  return { org_id, project_id, run_id, activity_id, trusted, ...known, credentials: both };
}
