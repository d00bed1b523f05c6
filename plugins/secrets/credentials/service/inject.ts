import type { Database } from '../../../../kernel/contracts/index.ts';
import { isServiceError, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { CredentialChecker, JobEnvironmentSource, JobVariable } from '../../../engine/runs/contract.ts';
import type { Credentials, CredentialStates } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';

/** Rejects a submit with a credential that cannot be used now. A credential that becomes unusable later fails the run. */
export function submitCheck(
  database: Pick<Database, 'read'>,
  states: CredentialStates,
): CredentialChecker['checkCredentials'] {
  return async (scope, credentials) => {
    const requests = Object.entries(credentials).map(([variable, name]) => ({
      variable,
      name,
      destination: 'job' as const,
    }));
    const states_found = await states.states(database, scope, requests);
    const rejected = requests.flatMap((request, i) => {
      const error = states.toError(request, states_found[i]!);
      return error ? [{ variable: request.variable, refusal: error }] : [];
    });
    const [first] = rejected;
    if (first === undefined) return;
    const detail = rejected.map(({ variable, refusal }) => `${variable}: ${refusal.message}`).join('; ');
    const errors = rejected.map(({ variable, refusal: { message } }) => ({
      pointer: `/credentials/${variable}`,
      message,
    }));
    throw new ServiceError(first.refusal.definition, detail, { errors });
  };
}

/** Provides the values of the credentials that a job declares. They take precedence over secrets and a literal `env`. */
export function credentialVariables(
  credentials: Credentials,
  checkCredentials: CredentialChecker['checkCredentials'],
): JobEnvironmentSource {
  return {
    name: 'credentials',
    layer: 'above',
    checkCredentials,
    async provide(job) {
      const declared = Object.entries(job.credentials);
      if (declared.length === 0) return [];
      const variables = declared.map(([variable]) => variable).join(', ');
      if (!job.trusted)
        throw CredentialErrors.untrustedRunDeclaresCredential(`an untrusted run declares credentials for ${variables}`);
      return Promise.all(declared.map(([variable, name]) => variableOf(variable, name)));

      async function variableOf(variable: string, name: string): Promise<JobVariable> {
        try {
          const { value, masks } = await credentials.raw(job, { name, by: job, destination: 'job' });
          return { name: variable, value, secret: true, masks };
        } catch (error) {
          if (!isServiceError(error)) throw error;
          throw new ServiceError(error.definition, `${variable}: ${error.message}`, error.extras);
        }
      }
    },
  };
}
