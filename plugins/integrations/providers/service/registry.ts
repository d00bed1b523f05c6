import {
  type Egress,
  type Clock,
  Errors,
  type HttpAddress,
  type Ids,
  type Settings,
} from '../../../../kernel/contracts/index.ts';
import { CALLBACK_PATH, type Providers } from '../contract.ts';
import { PROVIDERS, readProviderSettings } from '../domain/read-settings.ts';
import { OAuthProvider } from './oauth-provider.ts';

export interface RegistryDeps {
  settings: Pick<Settings, 'env' | 'role'>;
  egress: Egress;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next'>;
  address: () => HttpAddress;
}

/** The providers of this deployment. Throws `setting_invalid` with every error of the settings. */
export class Registry implements Providers {
  readonly #address: () => HttpAddress;
  readonly #redirect_uri: string | undefined;
  readonly #providers: ReadonlyMap<string, OAuthProvider>;

  constructor({ settings, egress, clock, ids, address }: RegistryDeps) {
    const { providers, redirect_uri, errors } = readProviderSettings(settings.env);
    if (errors.length > 0)
      throw Errors.settingInvalid(
        `${PROVIDERS} cannot be used: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      );
    this.#address = address;
    this.#redirect_uri = redirect_uri;
    this.#providers = new Map(providers.map((one) => [one.name, new OAuthProvider(one, { egress, clock, ids })]));
  }

  list() {
    return [...this.#providers.values()].map(({ view }) => view);
  }

  find(name: string): OAuthProvider | undefined {
    return this.#providers.get(name);
  }

  all(): readonly OAuthProvider[] {
    return [...this.#providers.values()];
  }

  /** Defaults to the public address of the service, or else to the address of this server. */
  redirectUri(): string | undefined {
    if (this.#providers.size === 0) return undefined;
    if (this.#redirect_uri !== undefined) return this.#redirect_uri;
    const address = this.#address();
    return `${address.public_url() ?? address.base_url()}${CALLBACK_PATH}`;
  }
}
