import type { Database } from '../../../kernel/contracts/index.ts';
import { canExist, notFound, type ProjectScope } from '../../resources/contract.ts';
import type { CredentialRuns } from '../../runs/contract.ts';
import type { CredentialNames, CredentialUse, CredentialUser } from '../contract.ts';
import { CREDENTIAL } from '../domain/names.ts';

/** Places listed for each kind; for more, only their existence is reported. */
export const MAX_USES = 200;

/** Unfinished runs that were submitted with the credential. */
export const runUser = (runs: CredentialRuns): CredentialUser => ({
  kind: 'run',
  async uses(scope, name, limit) {
    const found = await runs.naming(scope, name, limit);
    return found.map(({ run_id, workflow, variables }) => ({
      kind: 'run',
      name: run_id,
      detail: `${workflow}: ${variables.join(', ')}`,
    }));
  },
});

export interface Uses {
  uses: CredentialUse[];
  /** True when some kind has more places than listed. */
  more: boolean;
}

/** Everything that names a credential or an account. Throws `not_found` when nothing holds the name. */
export async function usesOf(
  parts: { database: Pick<Database, 'read'>; names: CredentialNames; users: readonly CredentialUser[] },
  scope: ProjectScope,
  name: string,
): Promise<Uses> {
  const held = canExist(CREDENTIAL, name) && (await parts.names.holders(parts.database, scope, [name])).has(name);
  if (!held) throw notFound(CREDENTIAL, name);
  const found = await Promise.all(parts.users.map((user) => user.uses(scope, name, MAX_USES + 1)));
  return {
    uses: found.flatMap((uses) => uses.slice(0, MAX_USES)),
    more: found.some((uses) => uses.length > MAX_USES),
  };
}
