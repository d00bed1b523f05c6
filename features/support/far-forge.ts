import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reach } from './reach.ts';

/** One webhook as the forge keeps it. */
export interface FarHook {
  id: number;
  active?: boolean;
  events: string[];
  config: { url: string; content_type?: string; secret?: string };
}

export interface FarForge {
  /** `http://127.0.0.1:…` */
  url: string;
  /** By repository. */
  hooks: Map<string, FarHook[]>;
  /** Method, path and authorization of every request. */
  asked: { method: string; path: string; authorization: string | undefined; body: string }[];
  /** Answers these to every further request, while it is set. */
  broken: { status: number; body: string } | undefined;
  /** Called with every webhook that is made or changed, before the answer, as a forge sends its ping. */
  onHook: ((repo: string, hook: FarHook) => Promise<void>) | undefined;
  close(): Promise<void>;
}

const HOOKS = /^\/repos\/([^/]+\/[^/]+)\/hooks(?:\/(\d+))?$/;

/** A forge as far as its webhooks go: it keeps them, pages them, checks the token and refuses a second of one URL. */
export async function openFarForge(token: string): Promise<FarForge> {
  let last = 100;
  const server: Server = createPlain((request, response) => {
    void answer(request, response);
  });
  const forge: FarForge = {
    url: '',
    hooks: new Map(),
    asked: [],
    broken: undefined,
    onHook: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    forge.asked.push({ method, path: url, authorization: headers.authorization, body });
    const say = (status: number, json?: unknown) => {
      response.statusCode = status;
      response.setHeader('content-type', 'application/json');
      response.end(json === undefined ? '' : JSON.stringify(json));
    };
    if (forge.broken) {
      response.statusCode = forge.broken.status;
      response.end(forge.broken.body);
      return;
    }
    if (headers.authorization !== `Bearer ${token}`) return say(401, { message: 'Bad credentials' });
    const at = new URL(url, 'http://forge');
    const [, repo, id] = HOOKS.exec(decodeURIComponent(at.pathname)) ?? [];
    if (repo === undefined) return say(404, { message: 'Not Found' });
    const own = forge.hooks.get(repo) ?? [];
    forge.hooks.set(repo, own);
    if (id === undefined && method === 'GET') return say(200, pageOf(own, at.searchParams));
    if (id === undefined && method === 'POST') {
      const hook = { ...(JSON.parse(body) as FarHook), id: ++last };
      if (own.some(({ config }) => config.url === hook.config.url))
        return say(422, { message: 'Hook already exists on this repository' });
      own.push(hook);
      await forge.onHook?.(repo, hook);
      return say(201, hook);
    }
    const hook = own.find((one) => one.id === Number(id));
    if (!hook) return say(404, { message: 'Not Found' });
    if (method === 'DELETE') {
      own.splice(own.indexOf(hook), 1);
      return say(204);
    }
    Object.assign(hook, JSON.parse(body));
    await forge.onHook?.(repo, hook);
    return say(200, hook);
  }

  await new Promise<void>((resolve) => server.listen(0, reach().listens, resolve));
  forge.url = `http://${reach().host}:${(server.address() as AddressInfo).port}`;
  return forge;
}

function pageOf(hooks: readonly FarHook[], query: URLSearchParams): FarHook[] {
  const size = Number(query.get('per_page') ?? query.get('limit') ?? 30);
  const page = Number(query.get('page') ?? 1);
  // A secret is never shown again.
  const shown = hooks.map((hook) => ({ ...hook, config: { ...hook.config, secret: '********' } }));
  return shown.slice((page - 1) * size, page * size);
}
