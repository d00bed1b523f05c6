import { type AdminCommand, iso } from '../../../../kernel/contracts/index.ts';
import { Database, Errors, Ids, isServiceError } from '../../../../kernel/contracts/index.ts';
import { Scopes } from '../../access/contract.ts';
import type { Keyring } from '../service/keyring.ts';
import { rotateOrgKey } from '../service/rotate.ts';
import { orgsWithKeys } from '../store/org-keys.ts';

interface RotatedOrgKey {
  org: string;
  version: number;
  usable_from: string;
}

export const rotateOrgKeyCommand = (keyring: Keyring): AdminCommand => ({
  name: 'rotate-org-key',
  summary: 'Adds a new version of an org key; new values are sealed with it, and old values stay readable.',
  usage: 'svc admin rotate-org-key (--org <org> | --all)',
  flags: [
    { name: 'org', type: 'string', summary: 'name of the org' },
    { name: 'all', type: 'boolean', summary: 'all orgs that have a key' },
  ],
  async run(use, args) {
    const deps = { database: use(Database), ids: use(Ids) };
    const rotated: RotatedOrgKey[] = [];
    for await (const { org_id, org } of targets(deps.database, use(Scopes), args)) {
      const { version, usable_from } = await rotateOrgKey(deps, await keyring.master(), org_id);
      rotated.push({ org, version, usable_from: iso(usable_from) });
    }
    const text = rotated.map(({ org, version }) => `${org}: key version ${version}`).join('\n');
    return { json: { rotated }, text: text === '' ? 'no org has a key yet' : text };
  },
});

async function* targets(database: Database, scopes: Scopes, args: Readonly<Record<string, string | boolean>>) {
  if ((args.org === undefined) === (args.all !== true))
    throw Errors.invalidRequest('choose one org with --org, or rotate the keys of all orgs with --all');
  if (typeof args.org === 'string') {
    const org = await scopes.findOrg(args.org);
    if (!org) throw Errors.notFound(`there is no org "${args.org}"`);
    yield org;
    return;
  }
  for (let after = ''; ; ) {
    const page = await orgsWithKeys(database, after, 100);
    if (page.length === 0) return;
    for (const org_id of page) yield { org_id, org: await nameOf(scopes, org_id) };
    after = page.at(-1)!;
  }
}

/** A key may outlive its org's row; then the id is shown instead of the name. */
async function nameOf(scopes: Scopes, org_id: string): Promise<string> {
  try {
    return await scopes.orgName(org_id);
  } catch (error) {
    if (isServiceError(error, Errors.notFound.code)) return org_id;
    throw error;
  }
}
