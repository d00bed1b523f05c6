import type { Database } from '../../../../kernel/contracts/index.ts';
import { canExist, notFound, type ProjectScope } from '../../../platform/resources/contract.ts';
import type { CredentialRuns } from '../../../engine/runs/contract.ts';
import type { CredentialNames, CredentialUse, CredentialUser } from '../contract.ts';
import { CREDENTIAL } from '../domain/names.ts';

/** How many uses of each kind are listed. Beyond that, only their existence is reported. */
export const MAX_USES = 200;

/** Finds unfinished runs that were submitted with the credential. */
export const runUser = (runs: CredentialRuns): CredentialUser => ({
  kind: 'run',
  async uses(scope, name, limit) {
    const user_runs = await runs.naming(scope, name, limit);
    return user_runs.map(({ run_id, workflow, variables }) => ({
      kind: 'run',
      name: run_id,
      detail: `${workflow}: ${variables.join(', ')}`,
    }));
  },
});

export interface Uses {
  uses: CredentialUse[];
  /** True when some kind has more uses than listed. */
  more: boolean;
}

/** Finds everything that uses a credential or an account. Throws `not_found` when neither has the name. */
export async function findUses(
  deps: { database: Pick<Database, 'read'>; names: CredentialNames; users: readonly CredentialUser[] },
  scope: ProjectScope,
  name: string,
): Promise<Uses> {
  const exists = canExist(CREDENTIAL, name) && (await deps.names.findSources(deps.database, scope, [name])).has(name);
  if (!exists) throw notFound(CREDENTIAL, name);
  const uses_by_kind = await Promise.all(deps.users.map((user) => user.uses(scope, name, MAX_USES + 1)));
  return {
    uses: uses_by_kind.flatMap((uses) => uses.slice(0, MAX_USES)),
    more: uses_by_kind.some((uses) => uses.length > MAX_USES),
  };
}
