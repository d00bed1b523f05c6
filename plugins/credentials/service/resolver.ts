import type { Database } from '../../../kernel/contracts/index.ts';
import type { CredentialNames, Credentials, CredentialScope, Holder, NameHolder, RawSecret } from '../contract.ts';
import { isName } from '../domain/names.ts';
import { CredentialErrors } from '../errors.ts';
import type { CredentialVault } from './vault.ts';

export interface ResolverParts {
  database: Pick<Database, 'read'>;
  names: CredentialNames;
  vault: Pick<CredentialVault, 'fields'>;
  holders: readonly NameHolder[];
}

/** One question for whoever puts a credential in place, whichever side holds its name. */
export function createResolver({ database, names, vault, holders }: ResolverParts): Credentials {
  return {
    fields: (scope, name) => vault.fields(scope, name),
    async raw(scope: CredentialScope, name: string): Promise<RawSecret> {
      const found = isName(name) ? (await names.holders(database, scope, [name])).get(name) : undefined;
      if (found === undefined)
        throw CredentialErrors.credentialMissing(`there is no credential ${name.slice(0, 63)} in this project`);
      return holderOf(holders, found).raw(scope, name);
    },
  };
}

function holderOf(holders: readonly NameHolder[], wanted: Holder): NameHolder {
  const found = holders.find(({ holder }) => holder === wanted);
  if (!found) throw new Error(`nothing in this server gives the values of an ${wanted}`);
  return found;
}
