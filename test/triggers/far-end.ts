import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** Another system on loopback, whose answers a test chooses. */
export class FarEnd {
  reply: Reply = (_request, response) => sendJson(response, { items: [] });
  /** The paths of all requests. */
  readonly seen: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<FarEnd> {
    const server = createServer();
    const far = new FarEnd(server);
    server.on('request', (request, response) => {
      far.seen.push(request.url ?? '');
      far.reply(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return far;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A connector with one trigger, `item`. */
export const listConnector = (more: object = {}, name = 'list'): string =>
  JSON.stringify({
    manifest: 'svc-connector/v1',
    name,
    title: 'List',
    credential: { kind: 'bearer', required: false },
    fields: [{ name: 'base_url', type: 'string', required: true }],
    triggers: {
      item: {
        request: { method: 'GET', url: '{{ with.base_url }}/items', query: { after: '{{ input.cursor }}' } },
        items: 'body.items',
        id: 'item.id',
        event: { type: 'item.added', key: 'string(item.id)' },
        every: { least: '10s' },
        timeout: '1s',
        ...more,
      },
    },
  });
