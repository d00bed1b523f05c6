import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { OidcServer } from '../support/oidc-server.ts';

/**
 * What happens to a renewal on its way: the request or the answer is lost, half of the answer comes, the request arrives
 * twice, the answer takes long, or never comes; or something between says busy, not now, broken, or that it knows nobody.
 */
export type WayFault =
  | 'lose_request'
  | 'lose_answer'
  | 'cut_answer'
  | 'repeat'
  | 'delay'
  | 'hold'
  | 'busy'
  | 'not_now'
  | 'broken'
  | 'gateway'
  | 'unknown_client';

/** Answers of somebody between, who does not let the request through. */
const INSTEAD: Readonly<Partial<Record<WayFault, { status: number; after?: string; error?: string }>>> = {
  busy: { status: 429, after: '1' },
  not_now: { status: 503, after: '1' },
  broken: { status: 500 },
  unknown_client: { status: 401, error: 'invalid_client' },
};

const DELAY_MS = 300;

/** Stands before the token endpoint of a provider and keeps what was presented there, grant by grant. */
export class TokenProxy {
  /** By grant: the next renewal of it meets this. */
  readonly plans = new Map<string, WayFault>();
  /** Every presentation: the refresh token and its grant, in order. */
  readonly presented: { token: string; grant: string }[] = [];
  /** Grants of which two requests were under way at once. */
  readonly overlaps: string[] = [];
  /** Requests whose answer never comes, by grant. */
  readonly held = new Map<string, Socket>();
  readonly #underWay = new Set<string>();
  readonly #far: OidcServer;
  #port = 0;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  constructor(far: OidcServer) {
    this.#far = far;
  }

  async listen(): Promise<string> {
    await this.open();
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}/token`;
  }

  /** Nobody listens any more; `open` undoes it. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const token = new URLSearchParams(body).get('refresh_token');
    const forward = () => this.#forward(request, body);
    if (token === null) return say(response, await forward());
    const grant = this.#far.refresh_tokens.get(token) ?? '';
    this.presented.push({ token, grant });
    if (this.#underWay.has(grant)) this.overlaps.push(grant);
    this.#underWay.add(grant);
    response.on('close', () => this.#underWay.delete(grant));
    const fault = this.plans.get(grant);
    this.plans.delete(grant);
    return this.#meet(fault, { grant, forward, socket: request.socket, response });
  }

  async #meet(
    fault: WayFault | undefined,
    { grant, forward, socket, response }: { grant: string; forward: Forward; socket: Socket; response: ServerResponse },
  ): Promise<void> {
    const instead = fault === undefined ? undefined : INSTEAD[fault];
    if (instead) return say(response, { ...instead, text: JSON.stringify({ error: instead.error }) });
    if (fault === 'lose_request') return void socket.destroy();
    if (fault === 'delay') await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    const answer = await forward();
    if (fault === 'repeat') await forward();
    if (fault === 'lose_answer') return void socket.destroy();
    if (fault === 'gateway') return say(response, { status: 502, text: 'Bad Gateway' });
    if (fault === 'hold') return void this.held.set(grant, socket);
    if (fault !== 'cut_answer') return say(response, answer);
    response.writeHead(answer.status, { 'content-type': JSON_TYPE, 'content-length': answer.text.length });
    response.write(answer.text.slice(0, answer.text.length / 2), () => socket.destroy());
    return undefined;
  }

  async #forward({ headers }: IncomingMessage, body: string): Promise<Said> {
    const { authorization = '', 'content-type': type = '' } = headers;
    const answer = await fetch(`${this.#far.url}/token`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  }
}

const JSON_TYPE = 'application/json';

interface Said {
  status: number;
  text: string;
  after?: string;
}

type Forward = () => Promise<Said>;

function say(response: ServerResponse, { status, text, after }: Said): void {
  response.writeHead(status, { 'content-type': JSON_TYPE, ...(after && { 'retry-after': after }) });
  response.end(text);
}
