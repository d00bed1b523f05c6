import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = readonly [status: number, body: unknown];

const PAGES = [
  {
    orders: [
      { country: 'de', cents: 1250 },
      { country: 'fr', cents: 300 },
    ],
    next: '1',
  },
  { orders: [{ country: 'de', cents: 50 }], next: '2' },
  { orders: [], next: '3' },
  {
    orders: [
      { country: 'jp', cents: 900 },
      { country: 'fr', cents: 1 },
    ],
    next: null,
  },
];

/** What the model says, by how often it has been told something. */
const REPLIES = [
  { role: 'assistant', tool: { name: 'weather', arguments: { city: 'Oslo' } } },
  { role: 'assistant', tool: { name: 'add', arguments: { a: 3, b: 4 } } },
  { role: 'assistant', content: 'It is 3 degrees, 7 with the wind in your back.' },
];

/** In two calls: where Restify is loaded, `writeHead` gives nothing back. */
function tell(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The world that the examples talk to: answers a repeat of an idempotency key with the first answer, and counts. */
export class FarEnd {
  readonly #server: Server;
  readonly #known = new Map<string, Answer>();
  /** How often something was really done, by path. */
  readonly effects = new Map<string, number>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (answer) => tell(response, answer),
        (error: unknown) => tell(response, [500, String(error)]),
      );
    });
  }

  static async start(): Promise<FarEnd> {
    const end = new FarEnd();
    await new Promise<void>((resolve) => end.#server.listen(0, '127.0.0.1', resolve));
    return end;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const key = request.headers['idempotency-key'];
    if (typeof key === 'string' && this.#known.has(key)) return this.#known.get(key)!;
    const answer = this.#do(request.url ?? '/', text === '' ? {} : JSON.parse(text));
    if (typeof key === 'string') this.#known.set(key, answer);
    return answer;
  }

  #do(url: string, body: { messages?: { role: string }[]; city?: string }): Answer {
    const { pathname, searchParams } = new URL(url, this.url);
    this.effects.set(pathname, (this.effects.get(pathname) ?? 0) + 1);
    if (pathname === '/orders') return [200, PAGES[Number(searchParams.get('cursor'))]];
    if (pathname === '/totals') return [200, { receipt: `receipt-${this.effects.get(pathname)}` }];
    if (pathname === '/health') return [200, {}];
    if (pathname === '/book/car') return [409, { error: 'no car left' }];
    if (pathname.startsWith('/book/'))
      return [200, { reference: `${pathname.slice(6)}-${this.effects.get(pathname)}` }];
    if (pathname.startsWith('/cancel/')) return [200, { reference: 'gone' }];
    if (pathname === '/chat') return [200, REPLIES[body.messages!.filter(({ role }) => role === 'assistant').length]];
    if (pathname === '/tools/weather') return [200, { city: body.city, degrees: 3 }];
    return [404, {}];
  }
}

/** Every run has a world of its own. */
export class FarEnds {
  readonly #ends: FarEnd[] = [];

  async open(): Promise<FarEnd> {
    const end = await FarEnd.start();
    this.#ends.push(end);
    return end;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end.stop()));
  }
}
