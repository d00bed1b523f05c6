import type { Database } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { CredentialRuns } from '../../runs/contract.ts';
import type { CredentialNames, CredentialScope, CredentialUse, CredentialUser } from '../contract.ts';
import { isName } from '../domain/names.ts';

/** Of each kind; more are only said to be there. */
export const MOST_USES = 200;

/** Runs that have not ended and were submitted with the credential. */
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
  /** There are more of some kind than are told. */
  more: boolean;
}

/** Everything that names a credential or an account. Throws `not_found` when nothing holds the name. */
export async function usesOf(
  parts: { database: Pick<Database, 'read'>; names: CredentialNames; users: readonly CredentialUser[] },
  scope: CredentialScope,
  name: string,
): Promise<Uses> {
  const held = isName(name) && (await parts.names.holders(parts.database, scope, [name])).has(name);
  if (!held) throw Errors.notFound(`no credential ${name.slice(0, 63)} in this project`);
  const found = await Promise.all(parts.users.map((user) => user.uses(scope, name, MOST_USES + 1)));
  return {
    uses: found.flatMap((uses) => uses.slice(0, MOST_USES)),
    more: found.some((uses) => uses.length > MOST_USES),
  };
}
