import type { Scopes } from '../../../security/access/contract.ts';
import { CALLBACK_PATH, type Providers } from '../../providers/contract.ts';
import type { AccountKey } from '../store/accounts.ts';

/** Builds the addresses of accounts in the console. */
export class ConsoleLinks {
  readonly #providers: Pick<Providers, 'redirectUri'>;
  readonly #scopes: Pick<Scopes, 'names'>;
  readonly #origin: () => string;

  constructor(deps: {
    providers: Pick<Providers, 'redirectUri'>;
    scopes: Pick<Scopes, 'names'>;
    origin: () => string;
  }) {
    this.#providers = deps.providers;
    this.#scopes = deps.scopes;
    this.#origin = deps.origin;
  }

  /** The address of the console: there providers send people back to. */
  baseUrl(): string {
    const redirect_uri = this.#providers.redirectUri();
    return redirect_uri === undefined ? this.#origin() : redirect_uri.slice(0, -CALLBACK_PATH.length);
  }

  /** The place of an account on the Connections page. */
  async accountLink({ org_id, project_id, name }: AccountKey): Promise<string> {
    return this.connectionsLink(await this.#scopes.names(org_id, project_id), name);
  }

  connectionsLink({ org, project }: { org: string; project: string }, name?: string): string {
    const page = `${this.baseUrl()}/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}/connections`;
    return name === undefined ? page : `${page}#${encodeURIComponent(name)}`;
  }
}
