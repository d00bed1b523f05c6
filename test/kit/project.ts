import type { Resolve, Scope } from '../../kernel/contracts/index.ts';
import { Bootstrap, Scopes } from '../../plugins/security/access/contract.ts';
import { ask } from './client.ts';

/** Makes the project acme/web with a token of each role, and `rival`, the owner of another org. */
export async function makeProject(
  use: Resolve,
  url: string,
): Promise<{ scope: Scope; tokens: Record<string, string> }> {
  const bootstrap = use(Bootstrap);
  const owner = (await bootstrap.ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
  const rival = (await bootstrap.ensure({ user: 'rita', org: 'rival', project: 'web' })).token;
  const tokens: Record<string, string> = { owner, rival };
  for (const role of ['viewer', 'member', 'admin']) {
    await ask(url, owner, `PUT /api/v1/orgs/acme/projects/web/members/${role}1`, { role });
    const made = await ask(url, owner, 'POST /api/v1/tokens', { name: role, org: 'acme', user: `${role}1` });
    tokens[role] = made.json.token;
  }
  return { scope: (await use(Scopes).findProject('acme', 'web'))!, tokens };
}
