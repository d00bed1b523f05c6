import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';

/** What happens to a token request: the answer is lost, the request is, or the answer waits until it is let go. */
export type OidcFault = 'lose_answer' | 'lose_request' | 'hold_answer';

export interface OidcOptions {
  redirect_uri: string;
  /** Refresh tokens are replaced. */
  rotates?: boolean;
  /** Presenting an old refresh token revokes the whole grant, as oidc-provider does by itself. */
  revokes?: boolean;
  /** Seconds that access tokens live. */
  lifetime?: number;
  /** Answers say when the access token ends. */
  tells_lifetime?: boolean;
  /** Grants have refresh tokens. */
  refreshes?: boolean;
  /** The groups of somebody, by the login; asked anew each time. */
  groups?: (login: string) => readonly string[];
}

/** One entry of SVC_CONNECTED_ACCOUNT_PROVIDERS. */
export interface ProviderSettings {
  name: string;
  token_url: string;
  client_secret: string;
  capabilities: { rotates_refresh_token: boolean; reuse_revokes_family: boolean };
  identity: { url: string; id_pointer: string; label_pointer: string };
  [member: string]: unknown;
}

/** A real provider on loopback, with pages on which a person signs in and agrees. */
export class OidcServer {
  readonly client_secret: string;
  /** The secret of the client `robot`, which gets tokens without a person. */
  robot_secret = `rob_${randomBytes(8).toString('hex')}`;
  /** With its key it signs assertions. */
  readonly robot_key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** The claims and the header of each assertion that was accepted. */
  readonly assertions: { header: object; claims: Record<string, unknown> }[] = [];
  readonly faults: OidcFault[] = [];
  readonly #server = createServer();
  /** The grant of every refresh token, in the order in which they were given. */
  readonly refresh_tokens = new Map<string, string>();
  /** Every access token that was given. */
  readonly access_tokens: string[] = [];
  readonly #held: (() => void)[] = [];
  #provider: Provider | undefined;
  #revokers: ((grant: string) => Promise<void>)[] = [];
  #serve: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(503).end();
  };
  url = '';

  constructor(client_secret = `sec_${randomBytes(8).toString('hex')}`) {
    this.client_secret = client_secret;
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#serve(request, response));
  }

  async listen(options: OidcOptions): Promise<void> {
    await this.open();
    this.become(options);
  }

  /** Answers 503 until it is told what to be. */
  async open(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From here on it is another one at the same address: it knows none of the grants that were given before. */
  become(options: OidcOptions): void {
    const { redirect_uri, rotates = true, revokes = true, lifetime = 3600 } = options;
    this.faults.length = 0;
    this.refresh_tokens.clear();
    this.access_tokens.length = 0;
    this.letGo();
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: 'svc',
          client_secret: this.client_secret,
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [redirect_uri],
        },
        {
          client_id: 'robot',
          client_secret: this.robot_secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      claims: { openid: ['sub', 'name', ...(options.groups ? ['groups'] : [])] },
      cookies: { keys: ['a key of the tests'] },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: true },
        revocation: { enabled: true },
      },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, name: `${id} at the provider`, groups: options.groups?.(id) }),
      }),
      issueRefreshToken: async () => options.refreshes !== false,
      revokeGrantPolicy: () => revokes,
      rotateRefreshToken: rotates,
      ttl: {
        ...{ AccessToken: lifetime, ClientCredentials: lifetime },
        ...{ Grant: 86_400, Interaction: 600, RefreshToken: 86_400, Session: 600, IdToken: 600 },
      },
    });
    provider.on('refresh_token.saved', ({ jti, grantId = '' }) => this.refresh_tokens.set(jti, grantId));
    provider.on('client_credentials.saved', ({ jti }) => this.access_tokens.push(jti));
    provider.on('access_token.saved', ({ jti }) => this.access_tokens.push(jti));
    this.#revokers = [provider.RefreshToken, provider.AccessToken].map((model) => model.revokeByGrantId.bind(model));
    if (!revokes)
      for (const model of [provider.RefreshToken, provider.AccessToken]) model.revokeByGrantId = async () => undefined;
    this.#provider = provider;
    const serve = provider.callback();
    this.#serve = (request, response) => {
      if (request.url === '/assertions') return void this.#takeAssertion(request, response, lifetime);
      const fault = request.url === '/token' ? this.#faultOf(request, response) : undefined;
      if (request.url === '/token' && options.tells_lifetime === false) withoutLifetime(response);
      if (fault !== 'lose_request') void serve(request, response);
    };
  }

  /** The grant of RFC 7523, which oidc-provider does not have. */
  async #takeAssertion(request: IncomingMessage, response: ServerResponse, lifetime: number): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const send = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    try {
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('another grant');
      const audience = `${this.url}/assertions`;
      const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', this.robot_key.publicKey, {
        ...{ audience, issuer: 'robot', maxTokenAge: '1h' },
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
      });
      if (this.assertions.some(({ claims }) => claims.jti === payload.jti)) throw new Error('it was used before');
      this.assertions.push({ header: protectedHeader, claims: payload });
      const access_token = `jwt_${randomBytes(12).toString('hex')}`;
      this.access_tokens.push(access_token);
      send(200, { access_token, token_type: 'Bearer', expires_in: lifetime });
    } catch (error) {
      send(400, { error: 'invalid_grant', error_description: (error as Error).message });
    }
  }

  /** The access token that was given last, and what is held of it here. */
  async lastToken(): Promise<{ token: string; login: string; scopes: string }> {
    const token = this.access_tokens.at(-1) ?? '';
    const held = await this.#provider!.AccessToken.find(token);
    return { token, login: held?.accountId ?? '', scopes: held?.scope ?? '' };
  }

  /** Somebody ended all grants there. */
  async forget(): Promise<void> {
    for (const grant of new Set(this.refresh_tokens.values())) await this.end(grant);
  }

  /** Somebody ended one grant there. */
  async end(grant: string): Promise<void> {
    for (const revoke of this.#revokers) await revoke(grant);
  }

  /** How many answers wait to be let go. */
  get held(): number {
    return this.#held.length;
  }

  /** Lets the answers go that were held. */
  letGo(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  /** The first token request of a grant has its code; those after it are renewals. */
  #faultOf(request: IncomingMessage, response: ServerResponse): OidcFault | undefined {
    const fault = this.refresh_tokens.size === 0 ? undefined : this.faults[0];
    if (fault === undefined) return undefined;
    this.faults.shift();
    if (fault === 'lose_request') request.socket.destroy();
    else if (fault === 'lose_answer') response.end = (() => request.socket.destroy()) as unknown as typeof response.end;
    else {
      const end = response.end.bind(response);
      response.end = ((text: string) => void this.#held.push(() => end(text))) as unknown as typeof response.end;
    }
    return fault;
  }

  /** What an operator says of it. */
  settings(name: string, rotates = true): ProviderSettings {
    return {
      ...{ name, title: 'The test provider', client_id: 'svc', client_secret: this.client_secret },
      authorize_url: `${this.url}/auth?prompt=consent`,
      token_url: `${this.url}/token`,
      revoke_url: `${this.url}/token/revocation`,
      scopes: ['openid', 'offline_access'],
      capabilities: { rotates_refresh_token: rotates, reuse_revokes_family: rotates },
      identity: { url: `${this.url}/me`, id_pointer: '/sub', label_pointer: '/name' },
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The answer of this response, a JSON object, does not say when the token ends. */
function withoutLifetime(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((text: string) => {
    const { expires_in: _, ...rest } = JSON.parse(text) as { expires_in?: number };
    const shorter = JSON.stringify(rest);
    response.setHeader('content-length', shorter.length);
    end(shorter);
  }) as unknown as typeof response.end;
}

/** A browser without pictures: it keeps cookies, follows redirects and sends forms. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form === undefined ? null : new URLSearchParams(form);
    const response = await fetch(url, { method: form ? 'POST' : 'GET', redirect: 'manual', headers: { cookie }, body });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

/** Signs in at the provider as `login` and agrees. Answers the address to which the provider sends the person back. */
export async function agree(authorize_url: string, login: string, back: string): Promise<string> {
  const browser = new Browser();
  let response = await browser.go(authorize_url);
  let at = authorize_url;
  for (let turn = 0; turn < 12; turn++) {
    const location = response.headers.get('location');
    if (location !== null) {
      at = new URL(location, at).href;
      if (at.startsWith(back)) return at;
      response = await browser.go(at);
      continue;
    }
    const page = await response.text();
    const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
    if (action === undefined) throw new Error(`the provider says ${response.status}: ${page.slice(0, 500)}`);
    at = new URL(action, at).href;
    response = await browser.go(at, prompt === 'login' ? { prompt, login, password: 'any' } : { prompt });
  }
  throw new Error('the provider does not come to an end');
}
