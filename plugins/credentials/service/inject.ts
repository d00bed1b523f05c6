import type { Database } from '../../../kernel/contracts/index.ts';
import { isServiceError, ServiceError } from '../../../kernel/contracts/index.ts';
import type { CredentialCheck, JobEnvironmentSource, JobVariable } from '../../runs/contract.ts';
import type { Credentials, CredentialStates } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';

/** Refuses a submit that names a credential that cannot be used now. One that becomes unusable later fails the run. */
export function submitCheck(database: Pick<Database, 'read'>, states: CredentialStates): CredentialCheck {
  return {
    name: 'credentials',
    async check(scope, credentials) {
      const wishes = Object.entries(credentials).map(([variable, name]) => ({ variable, name }));
      const found = await states.states(database, scope, wishes);
      const refusals = wishes.flatMap((wish, i) => {
        const refusal = states.refusal(wish, found[i]!);
        return refusal ? [{ variable: wish.variable, refusal }] : [];
      });
      const [first] = refusals;
      if (first === undefined) return;
      const detail = refusals.map(({ variable, refusal }) => `${variable}: ${refusal.message}`).join('; ');
      const errors = refusals.map(({ variable, refusal: { message } }) => ({
        pointer: `/credentials/${variable}`,
        message,
      }));
      throw new ServiceError(first.refusal.definition, detail, { errors });
    },
  };
}

/** The values of the credentials that the job names. They win over a secret and a literal `env`. */
export function credentialVariables(credentials: Credentials): JobEnvironmentSource {
  return {
    name: 'credentials',
    layer: 'above',
    async provide(job) {
      const declared = Object.entries(job.credentials);
      if (declared.length === 0) return [];
      const variables = declared.map(([variable]) => variable).join(', ');
      if (!job.trusted)
        throw CredentialErrors.untrustedRunDeclaresCredential(`an untrusted run declares credentials for ${variables}`);
      return Promise.all(declared.map(([variable, name]) => variableOf(variable, name)));

      async function variableOf(variable: string, name: string): Promise<JobVariable> {
        try {
          const { value, masks } = await credentials.raw(job, { name, by: job });
          return { name: variable, value, secret: true, masks };
        } catch (error) {
          if (!isServiceError(error)) throw error;
          throw new ServiceError(error.definition, `${variable}: ${error.message}`, error.extras);
        }
      }
    },
  };
}
