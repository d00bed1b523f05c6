import type { JobEnvironmentSource } from '../../runs/contract.ts';
import type { Secrets } from '../contract.ts';

/** Every secret of the project for every trusted job, read when it is claimed; a workflow's own `env` wins. */
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
