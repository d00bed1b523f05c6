import { BoundedMap, type Scope } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Scopes } from '../contract.ts';
import { isName } from '../domain/names.ts';
import type { Reading } from '../store/models.ts';
import { findOrgById, findOrgByName, hasSeveralOrgs } from '../store/orgs.ts';
import { findProjectById, findProjectByName, findProjectIds } from '../store/projects.ts';

const CACHE_SIZE = 10_000;

/** Ids and names of orgs and projects never change, so they are cached. Their absence is not. */
export class CachedScopes implements Scopes {
  readonly #database: Reading;
  readonly #orgs = new BoundedMap<string, { org_id: string; org: string }>(CACHE_SIZE);
  readonly #projects = new BoundedMap<string, Scope>(CACHE_SIZE);

  #has_several_orgs = false;

  constructor(database: Reading) {
    this.#database = database;
  }

  async names(org_id: string, project_id: string): Promise<{ org: string; project: string }> {
    const org = await this.orgName(org_id);
    const scope_row = await cachedLookup(this.#projects, `id ${org_id} ${project_id}`, async () => {
      const row = await findProjectById(this.#database, org_id, project_id);
      return row ? { org_id, org, project_id, project: row.name } : undefined;
    });
    if (!scope_row) throw Errors.notFound(`no project ${project_id}`);
    return { org: scope_row.org, project: scope_row.project };
  }

  async orgName(org_id: string): Promise<string> {
    const scope_row = await cachedLookup(this.#orgs, `id ${org_id}`, async () => {
      const row = await findOrgById(this.#database, org_id);
      return row ? { org_id, org: row.name } : undefined;
    });
    if (!scope_row) throw Errors.notFound(`no org ${org_id}`);
    return scope_row.org;
  }

  async findOrg(org: string): Promise<{ org_id: string; org: string } | undefined> {
    if (!isName(org)) return undefined;
    return cachedLookup(this.#orgs, `name ${org}`, async () => {
      const row = await findOrgByName(this.#database, org);
      return row ? { org_id: row.org_id, org } : undefined;
    });
  }

  async findProject(org: string, project: string): Promise<Scope | undefined> {
    const owner = await this.findOrg(org);
    if (!owner || !isName(project)) return undefined;
    return cachedLookup(this.#projects, `name ${owner.org_id} ${project}`, async () => {
      const row = await findProjectByName(this.#database, owner.org_id, project);
      return row ? { ...owner, project_id: row.project_id, project } : undefined;
    });
  }

  projectsOf(org_id: string): Promise<string[]> {
    return findProjectIds(this.#database, org_id);
  }

  async hasSeveralOrgs(): Promise<boolean> {
    // Orgs are never removed.
    this.#has_several_orgs ||= await hasSeveralOrgs(this.#database);
    return this.#has_several_orgs;
  }
}

async function cachedLookup<V>(
  cache: BoundedMap<string, V>,
  key: string,
  load: () => Promise<V | undefined>,
): Promise<V | undefined> {
  const value = cache.get(key) ?? (await load());
  if (value !== undefined) cache.set(key, value);
  return value;
}
