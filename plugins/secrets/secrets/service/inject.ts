import type { JobEnvironmentSource } from '../../../engine/runs/contract.ts';
import type { Secrets } from '../contract.ts';

/** Provides every secret of the project to every trusted job, when it is claimed. A workflow's own `env` takes precedence. */
export function secretVariables(secrets: Secrets): JobEnvironmentSource {
  return {
    name: 'secrets',
    layer: 'below',
    async provide(job) {
      if (!job.trusted) return [];
      const values = await secrets.valuesOf(job);
      return values.map(({ name, value }) => ({ name, value, secret: true }));
    },
  };
}
