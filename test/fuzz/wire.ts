import { Agent, request } from 'node:http';

export interface Sent {
  method: string;
  /** As it is sent, whether or not it is well-formed. */
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Got {
  status: number;
  type: string;
  text: string;
}

/** A client that changes nothing of what it is told to send. */
export class Wire {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Rejects when the connection ends without an answer. Of a stream, which does not end, only the head is read. */
  ask({ method, target, headers, body }: Sent): Promise<Got> {
    const { hostname, port } = this.#url;
    return new Promise((resolve, reject) => {
      const outgoing = request({ hostname, port, agent: this.#agent, method, path: target, headers }, (answer) => {
        const head = { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '' };
        if (head.type.startsWith('text/event-stream')) {
          outgoing.destroy();
          resolve({ ...head, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ ...head, text: Buffer.concat(chunks).toString() }));
        answer.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** What is wrong with an answer, undefined when nothing is. */
export function fault({ status, type, text }: Got): string | undefined {
  if (status >= 500 && status !== 503) return `${status} ${text.slice(0, 300)}`;
  if (status < 400) return undefined;
  // Pages that a browser is sent to answer for people.
  if (type.startsWith('text/html')) return undefined;
  if (!type.startsWith('application/problem+json')) return `${status} as ${type || 'nothing'}`;
  const { code } = JSON.parse(text) as { code?: unknown };
  return typeof code === 'string' && code !== '' ? undefined : `${status} without a code`;
}
