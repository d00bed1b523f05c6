import type { Database } from '../../../kernel/contracts/index.ts';
import { canExist, type ProjectScope } from '../../resources/contract.ts';
import type { CredentialNames, Credentials, Holder, NameHolder, RawSecret } from '../contract.ts';
import { CREDENTIAL } from '../domain/names.ts';
import { CredentialErrors } from '../errors.ts';
import type { CredentialService } from './credential-service.ts';

export interface ResolverParts {
  database: Pick<Database, 'read'>;
  names: CredentialNames;
  stored: Pick<CredentialService, 'fields'>;
  holders: readonly NameHolder[];
}

/** Asks the holder of a name, a credential or an account, for its value. */
export function createResolver({ database, names, stored, holders }: ResolverParts): Credentials {
  return {
    fields: (scope, name) => stored.fields(scope, name),
    async raw(scope: ProjectScope, name: string): Promise<RawSecret> {
      const found = canExist(CREDENTIAL, name) ? (await names.holders(database, scope, [name])).get(name) : undefined;
      if (found === undefined)
        throw CredentialErrors.credentialMissing(`the project has no credential ${name.slice(0, 63)}`);
      return holderOf(holders, found).raw(scope, name);
    },
  };
}

function holderOf(holders: readonly NameHolder[], wanted: Holder): NameHolder {
  const found = holders.find(({ holder }) => holder === wanted);
  if (!found) throw new Error(`no plugin of this server provides the values of an ${wanted}`);
  return found;
}
