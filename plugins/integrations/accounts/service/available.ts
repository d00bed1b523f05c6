import { type Database, Errors } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import { AccountErrors } from '../errors.ts';
import { type AccountRow, accounts } from '../store/accounts.ts';

/**
 * Rejects before a provider is asked what storing the account would reject. Returns the account that has the name. Throws
 * `name_conflict`, `account_mismatch`.
 */
export async function assertAvailable(
  { database, names }: { database: Database; names: CredentialNames },
  scope: ProjectScope,
  name: string,
  provider: string,
): Promise<AccountRow | undefined> {
  const source = (await names.findSources(database, scope, [name])).get(name);
  if (source === 'credential') throw Errors.nameConflict(`a credential of this project already has the name ${name}`);
  const present = await accounts.find(database, scope, name);
  if (present && present.provider !== provider)
    throw AccountErrors.accountMismatch(
      `the account ${name} belongs to the provider ${present.provider}, not to ${provider}`,
    );
  return present;
}
