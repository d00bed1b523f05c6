import { readFileSync } from 'node:fs';
import { freePort } from '../../features/support/free-port.ts';
import { OidcServer, type ProviderSettings } from './oidc-server.ts';

interface Declared {
  rotates: boolean;
  revokes: boolean;
  assumed_lifetime_secs?: number;
  id_pointer?: string;
  scopes?: readonly string[];
  /** Does the operator name the address at which grants end? */
  ends_grants?: boolean;
}

/** What the operator's settings say of the one provider, under several names. */
const DECLARED = {
  rotating: { rotates: true, revokes: true },
  lenient: { rotates: true, revokes: false, ends_grants: false },
  lasting: { rotates: false, revokes: false },
  /** The same as `lasting`, for what an account of another provider cannot do. */
  other: { rotates: false, revokes: false },
  /** The operator has said how long its access tokens live. */
  assumed: { rotates: false, revokes: false, assumed_lifetime_secs: 4 },
  /** It is asked for one more scope, which it does not know. */
  asking: { rotates: false, revokes: false, scopes: ['openid', 'offline_access', 'calendar'] },
  /** Accounts are told apart by the first of their groups. */
  grouped: { rotates: true, revokes: true, id_pointer: '/groups/0' },
} satisfies Record<string, Declared>;

export type ProviderName = keyof typeof DECLARED;

const NAMES = Object.keys(DECLARED) as ProviderName[];

/** Its accounts have clients of their own. */
const CLIENTS = 'robots';
/** The same, by assertions. */
const SIGNERS = 'signers';

/** The value of SVC_CONNECTED_ACCOUNT_PROVIDERS for a server that scenarios of accounts are to run against. */
const settingsOf = (provider: OidcServer): object[] => [
  ...NAMES.map((name) => entryOf(provider, name)),
  { name: CLIENTS, grants: ['client_credentials'], token_url: `${provider.url}/token` },
  { name: SIGNERS, grants: ['jwt_bearer'], token_url: `${provider.url}/assertions`, scopes: ['usual'] },
];

function entryOf(provider: OidcServer, name: ProviderName): ProviderSettings {
  const { rotates, revokes, assumed_lifetime_secs, id_pointer, scopes, ends_grants = true }: Declared = DECLARED[name];
  const { identity, revoke_url, ...settings } = provider.settings(name, rotates);
  return {
    ...settings,
    title: `The suite's provider, ${name}`,
    capabilities: { rotates_refresh_token: rotates, reuse_revokes_family: revokes },
    identity: { ...identity, ...(id_pointer === undefined ? {} : { id_pointer }) },
    ...(scopes === undefined ? {} : { scopes }),
    ...(ends_grants ? { revoke_url } : {}),
    ...(assumed_lifetime_secs === undefined ? {} : { assumed_lifetime_secs }),
  };
}

/**
 * The provider whose accounts scenarios connect. It listens at the address that the settings of the server under test name,
 * and each scenario says what it does with tokens.
 */
export class SuiteProvider {
  readonly #provider: OidcServer;
  readonly settings: readonly object[];

  private constructor(provider: OidcServer) {
    this.#provider = provider;
    this.settings = settingsOf(provider);
  }

  /** With the settings that a server has already, or at a free port for a server that will have them. */
  static async open(file?: string): Promise<SuiteProvider> {
    const { port, client_secret } = file === undefined ? { port: 0 } : readSettings(file);
    const provider = new OidcServer(client_secret);
    try {
      await provider.open(port);
    } catch (error) {
      throw new Error(
        `the provider of ${file ?? 'the suite'} cannot listen at port ${port}: another run of the suite may use it`,
        { cause: error },
      );
    }
    return new SuiteProvider(provider);
  }

  /** For a file that an operator names. */
  static async write(): Promise<string> {
    const provider = new OidcServer();
    provider.url = `http://127.0.0.1:${await freePort()}`;
    return `${JSON.stringify(settingsOf(provider), null, 2)}\n`;
  }

  get server(): OidcServer {
    return this.#provider;
  }

  close(): Promise<void> {
    return this.#provider.close();
  }
}

function readSettings(file: string): { port: number; client_secret: string } {
  const list = JSON.parse(readFileSync(file, 'utf8')) as Partial<ProviderSettings>[];
  const first = list.find(({ name }) => name === NAMES[0]);
  const missing = [...NAMES, CLIENTS, SIGNERS].filter((name) => !list.some((one) => one.name === name));
  if (!first?.token_url || !first.client_secret || missing.length > 0)
    throw new Error(`${file} is not what --write-providers has written: it lacks ${missing.join(', ') || 'members'}`);
  return { port: Number(new URL(first.token_url).port), client_secret: first.client_secret };
}
