import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { AgentServer, ServerRequest } from '../contract.ts';
import { AgentErrors, fromChannelError } from '../errors.ts';
import type { ServerAddress } from './settings.ts';

// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody here uses.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Bytes read of an answer: these are small documents. */
const ANSWER_BYTES = 1024 * 1024;
/** Without a byte in either direction. */
const SILENCE_MS = 60_000;

/** Requests over a connection each: they are few and long, and must not hold up one another. */
export function createAgentServer(address: () => ServerAddress): AgentServer {
  return {
    async send(request) {
      const response = await open(address(), request);
      const status = response.statusCode ?? 0;
      const json = await readJson(response);
      if (status >= 200 && status < 300) return { status, json };
      throw refusalOf(status, json);
    },
    async read(request, limit) {
      const response = await open(address(), request);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return readBytes(response, limit);
      throw refusalOf(status, await readJson(response));
    },
  };
}

function open({ url, socket_path, token }: ServerAddress, asked: ServerRequest): Promise<IncomingMessage> {
  const { method, path, headers, content, signal } = asked;
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(`${url}${path}`, {
      method,
      headers: { ...headers, accept: 'application/json', authorization: `Bearer ${token}` },
      socketPath: socket_path,
      signal,
    });
    const broke = (error: Error) => reject(signal?.aborted ? signal.reason : lost(error.message));
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('the server is silent')));
    request.on('error', broke);
    if (!content) {
      request.on('response', resolve).end();
      return;
    }
    const stream = Readable.from(content, { objectMode: false });
    // The answer says that the server needs no more: it has every byte, or refuses. A request that was not ended would keep
    // its connection.
    request.on('response', (response) => {
      stream.unpipe(request).destroy();
      request.end();
      resolve(response);
    });
    request.on('close', () => stream.destroy());
    stream.on('error', (error) => {
      reject(error);
      request.destroy();
    });
    stream.pipe(request);
  });
}

const lost = (why: string) => AgentErrors.channelLost(`a request to the server broke: ${why}`);

async function readBytes(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new Error('its answer is too long');
      chunks.push(chunk);
    }
  } catch (error) {
    throw lost((error as Error).message);
  }
  return Buffer.concat(chunks);
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(response, ANSWER_BYTES);
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    // Not an answer of svc but of a proxy: only its status is known.
    return undefined;
  }
}

function refusalOf(status: number, json: unknown): Error {
  const { code, detail, next } = (json ?? {}) as { code?: unknown; detail?: unknown; next?: unknown };
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  return fromChannelError({
    code: text(code, status >= 500 ? 'unavailable' : `http_${status}`),
    message: text(detail, `the server answered ${status}`),
    next: text(next, 'Look at what stands between the agent and the server.'),
    status,
  });
}
