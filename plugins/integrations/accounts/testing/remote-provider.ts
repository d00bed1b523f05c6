import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The failure of a token request. Each entry affects one request. */
export type SimulatedFailure = 'cut_before' | 'cut_after' | 'busy' | 'gateway' | 'client';

/**
 * A provider in this process that records what was presented to it. `cut_after` accepts the token and loses the answer;
 * `cut_before` loses the request.
 */
export class RemoteProvider {
  url = '';
  rotates = true;
  family = true;
  lifetime: number | string | undefined = 3600;
  refreshes = true;
  /** Bytes are sent as they are. */
  who: unknown = { id: 7, login: 'ana@far' };
  identity_status = 200;
  revokes = 200;
  readonly failures: SimulatedFailure[] = [];
  /** Every code that was presented, in order. */
  readonly codes: string[] = [];
  /** Every refresh token that was presented, in order. */
  readonly presented: string[] = [];
  readonly revoked: string[] = [];
  readonly #codes = new Map<string, { challenge: string; redirect_uri: string }>();
  /** Grants by refresh token. */
  readonly #good = new Map<string, string>();
  readonly #used = new Map<string, string>();
  readonly #server = createServer((request, response) => this.#serve(request, response));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  settings(name: string, more: object = {}) {
    return {
      name,
      client_id: 'svc',
      client_secret: 'hush-hush',
      scopes: ['read', 'write'],
      authorize_url: `${this.url}/authorize`,
      token_url: `${this.url}/token`,
      revoke_url: `${this.url}/revoke`,
      capabilities: { rotates_refresh_token: this.rotates, reuse_revokes_family: this.family },
      identity: { url: `${this.url}/user`, id_pointer: '/id', label_pointer: '/login' },
      ...more,
    };
  }

  /** The person agrees: what the provider would send back. */
  consent(authorize_url: string): URLSearchParams {
    const params = new URL(authorize_url).searchParams;
    const code = randomBytes(8).toString('hex');
    this.#codes.set(code, { challenge: params.get('code_challenge')!, redirect_uri: params.get('redirect_uri')! });
    return new URLSearchParams({ code, state: params.get('state')! });
  }

  /** Ends all grants at the provider. */
  revokeAll(): void {
    this.#good.clear();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = new URLSearchParams(Buffer.concat(chunks).toString());
      if (request.url === '/user') return sendJson(response, this.identity_status, this.who);
      if (request.url === '/revoke') {
        this.revoked.push(body.get('token')!);
        return sendJson(response, this.revokes, {});
      }
      return request.url === '/token' ? this.#token(body, request, response) : sendJson(response, 404, {});
    });
  }

  #token(body: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const refresh = body.get('refresh_token');
    const failure = refresh === null ? undefined : this.failures.shift();
    if (refresh !== null) this.presented.push(refresh);
    else this.codes.push(body.get('code') ?? '');
    if (failure === 'cut_before') return void request.socket.destroy();
    if (failure === 'busy') return sendJson(response, 429, {}, { 'retry-after': '2' });
    if (failure === 'gateway') return sendJson(response, 502, {});
    if (failure === 'client') return sendJson(response, 401, { error: 'invalid_client' });
    const [status, answer] = refresh === null ? this.#byCode(body) : this.#byRefresh(refresh);
    if (failure === 'cut_after') return void request.socket.destroy();
    return sendJson(response, status, answer);
  }

  #byCode(body: URLSearchParams): [number, object] {
    const authorization = this.#codes.get(body.get('code')!);
    this.#codes.delete(body.get('code')!);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      !authorization ||
      authorization.challenge !== challenge ||
      authorization.redirect_uri !== body.get('redirect_uri')
    )
      return [400, { error: 'invalid_grant' }];
    return [200, this.#tokens(randomBytes(4).toString('hex'))];
  }

  #byRefresh(token: string): [number, object] {
    const grant = this.#good.get(token);
    if (grant === undefined) {
      const family = this.#used.get(token);
      if (this.family && family !== undefined)
        for (const [other, of] of this.#good) if (of === family) this.#good.delete(other);
      return [400, { error: 'invalid_grant' }];
    }
    if (!this.rotates) return [200, { ...this.#tokens(grant), refresh_token: undefined }];
    this.#good.delete(token);
    this.#used.set(token, grant);
    return [200, this.#tokens(grant)];
  }

  #tokens(grant: string) {
    const refresh_token = `rt-${randomBytes(8).toString('hex')}`;
    if (this.refreshes) this.#good.set(refresh_token, grant);
    const access_token = `at-${randomBytes(8).toString('hex')}`;
    return {
      access_token,
      token_type: 'Bearer',
      expires_in: this.lifetime,
      scope: 'read',
      ...(this.refreshes ? { refresh_token } : {}),
    };
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
