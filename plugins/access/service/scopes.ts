import type { Scope } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { Scopes } from '../contract.ts';
import { isName } from '../domain/names.ts';
import type { Reading } from '../store/models.ts';
import { findOrgById, findOrgByName } from '../store/orgs.ts';
import { findProjectById, findProjectByName } from '../store/projects.ts';

const CACHE_SIZE = 10_000;

/** The newest entries of a map that never holds more than its bound. */
class Bounded<V> {
  readonly #entries = new Map<string, V>();

  async get(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const loaded = await load();
    if (loaded === undefined) return undefined;
    this.#entries.set(key, loaded);
    const oldest = this.#entries.size > CACHE_SIZE ? this.#entries.keys().next().value : undefined;
    if (oldest !== undefined) this.#entries.delete(oldest);
    return loaded;
  }
}

/** Ids and names of orgs and projects never change, so that what was found is kept; what was absent is not. */
export class CachedScopes implements Scopes {
  readonly #database: Reading;
  readonly #orgs = new Bounded<{ org_id: string; org: string }>();
  readonly #projects = new Bounded<Scope>();

  constructor(database: Reading) {
    this.#database = database;
  }

  async names(org_id: string, project_id: string): Promise<{ org: string; project: string }> {
    const org = await this.orgName(org_id);
    const found = await this.#projects.get(`id ${org_id} ${project_id}`, async () => {
      const row = await findProjectById(this.#database, org_id, project_id);
      return row ? { org_id, org, project_id, project: row.name } : undefined;
    });
    if (!found) throw Errors.notFound(`no project ${project_id}`);
    return { org: found.org, project: found.project };
  }

  async orgName(org_id: string): Promise<string> {
    const found = await this.#orgs.get(`id ${org_id}`, async () => {
      const row = await findOrgById(this.#database, org_id);
      return row ? { org_id, org: row.name } : undefined;
    });
    if (!found) throw Errors.notFound(`no org ${org_id}`);
    return found.org;
  }

  async findOrg(org: string): Promise<{ org_id: string; org: string } | undefined> {
    if (!isName(org)) return undefined;
    return this.#orgs.get(`name ${org}`, async () => {
      const row = await findOrgByName(this.#database, org);
      return row ? { org_id: row.org_id, org } : undefined;
    });
  }

  async findProject(org: string, project: string): Promise<Scope | undefined> {
    const found = await this.findOrg(org);
    if (!found || !isName(project)) return undefined;
    return this.#projects.get(`name ${found.org_id} ${project}`, async () => {
      const row = await findProjectByName(this.#database, found.org_id, project);
      return row ? { ...found, project_id: row.project_id, project } : undefined;
    });
  }
}
