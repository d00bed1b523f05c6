import type { Database } from '../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { CredentialCheck, JobEnvironmentSource, JobVariable } from '../../runs/contract.ts';
import type { CredentialNames, Credentials } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';

/** Refuses a submit that names a missing credential. One that is removed later fails the run. */
export function submitCheck(database: Pick<Database, 'read'>, names: CredentialNames): CredentialCheck {
  return {
    name: 'credentials',
    async check(scope, credentials) {
      const held = await names.holders(database, scope, [...new Set(Object.values(credentials))]);
      const missing = Object.entries(credentials).filter(([, name]) => !held.has(name));
      if (missing.length === 0) return;
      const errors = missing.map(([variable, name]) => ({
        pointer: `/credentials/${variable}`,
        message: `the project has no credential ${name}`,
      }));
      throw CredentialErrors.credentialMissing(
        missing.map(([variable, name]) => `${variable} names the credential ${name}, which does not exist`).join('; '),
        { errors },
      );
    },
  };
}

/** The values of the credentials that the job's run names. They win over a secret and a literal `env`. */
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
          const { value, masks } = await credentials.raw(job, name);
          return { name: variable, value, secret: true, masks };
        } catch (error) {
          if (!isServiceError(error, CredentialErrors.credentialMissing.code)) throw error;
          throw CredentialErrors.credentialMissing(
            `${variable} names the credential ${name}, which has been removed since the run was submitted`,
          );
        }
      }
    },
  };
}
