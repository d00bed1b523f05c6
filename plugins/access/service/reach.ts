import type { Principal } from '../../../kernel/contracts/index.ts';
import type { Reach } from '../contract.ts';
import { orgRoleOf } from '../domain/identity.ts';
import type { Identities } from './identities.ts';

/** Which orgs a caller may know of, for lists that span orgs. */
export class IdentityReach implements Reach {
  readonly #identities: Identities;

  constructor(identities: Identities) {
    this.#identities = identities;
  }

  async orgsOf(principal: Principal): Promise<string[]> {
    const identity = await this.#identities.of(principal);
    return [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id) !== undefined);
  }
}
