import { Errors } from '../../../../kernel/contracts/index.ts';
import { OPERATOR } from '../../../platform/audit/contract.ts';
import type { Bootstrap } from '../contract.ts';
import { checkName, isName } from '../domain/names.ts';
import { UNLIMITED } from '../domain/roles.ts';
import { isAnybodyOwner } from '../store/members.ts';
import type { Access } from './access.ts';

export class OwnerBootstrap implements Bootstrap {
  readonly #access: Pick<Access, 'models' | 'directory' | 'tokens'>;

  constructor(access: Pick<Access, 'models' | 'directory' | 'tokens'>) {
    this.#access = access;
  }

  async ensure(owner: {
    user: string;
    org: string;
    project: string;
    token_name?: string;
    reuse?: string;
  }): Promise<{ token: string }> {
    for (const what of ['user', 'org', 'project'] as const) checkName(owner[what], what);
    const name = owner.token_name ?? 'bootstrap';
    if (!isName(name)) throw Errors.invalidRequest('the token name is not valid');
    const { directory, tokens } = this.#access;
    const user = await directory.putUser(owner.user);
    const { user_id } = user;
    const { org_id } = await directory.putOrg(owner.org, user, OPERATOR, true);
    await directory.putProject(org_id, owner.project, OPERATOR);
    if (owner.reuse !== undefined && (await tokens.isUnlimitedToken(owner.reuse, user_id)))
      return { token: owner.reuse };
    const token = { kind: 'user', user_id, limits: UNLIMITED, expires_at: null, name, created_by: user_id } as const;
    return { token: (await tokens.issue(token, OPERATOR)).text };
  }

  hasOwner(): Promise<boolean> {
    return isAnybodyOwner(this.#access.models);
  }
}
