import type { Scopes } from '../../access/contract.ts';
import { CALLBACK_PATH, type Providers } from '../../providers/contract.ts';
import type { AccountKey } from '../store/accounts.ts';

/** Where people find accounts in the console. */
export class ConsolePlaces {
  readonly #providers: Pick<Providers, 'redirectUri'>;
  readonly #scopes: Pick<Scopes, 'names'>;
  readonly #origin: () => string;

  constructor(parts: {
    providers: Pick<Providers, 'redirectUri'>;
    scopes: Pick<Scopes, 'names'>;
    origin: () => string;
  }) {
    this.#providers = parts.providers;
    this.#scopes = parts.scopes;
    this.#origin = parts.origin;
  }

  /** The address of the console: there providers send people back to. */
  base(): string {
    const redirect_uri = this.#providers.redirectUri();
    return redirect_uri === undefined ? this.#origin() : redirect_uri.slice(0, -CALLBACK_PATH.length);
  }

  /** The place of an account on the Connections page. */
  async of({ org_id, project_id, name }: AccountKey): Promise<string> {
    return this.inProject(await this.#scopes.names(org_id, project_id), name);
  }

  inProject({ org, project }: { org: string; project: string }, name?: string): string {
    const page = `${this.base()}/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}/connections`;
    return name === undefined ? page : `${page}#${encodeURIComponent(name)}`;
  }
}
