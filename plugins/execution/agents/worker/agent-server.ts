import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { AgentServer, ServerRequest } from '../contract.ts';
import { AgentErrors, fromChannelError } from '../errors.ts';
import type { ServerAddress } from './settings.ts';

// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody needs here.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Maximum bytes of a response, which is a small document. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Maximum time without a byte in either direction. */
const SILENCE_MS = 60_000;

/** Every request has its own connection: requests are few and long, and must not hold up each other. */
export function createAgentServer(address: () => ServerAddress): AgentServer {
  return {
    async send(request) {
      const response = await sendRequest(address(), request);
      const status = response.statusCode ?? 0;
      const json = await readJson(response);
      if (status >= 200 && status < 300) return { status, json };
      throw toRejection(status, json);
    },
    async read(request, limit) {
      const response = await sendRequest(address(), request);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return readBytes(response, limit);
      throw toRejection(status, await readJson(response));
    },
    async open(request) {
      const response = await sendRequest(address(), request);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return { status, content: readChunks(response) };
      throw toRejection(status, await readJson(response));
    },
  };
}

function sendRequest({ url, socket_path, token }: ServerAddress, options: ServerRequest): Promise<IncomingMessage> {
  const { method, path, headers, content, signal } = options;
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(`${url}${path}`, {
      method,
      headers: { ...headers, accept: 'application/json', authorization: `Bearer ${token}` },
      socketPath: socket_path,
      signal,
    });
    const onError = (error: Error) => reject(signal?.aborted ? signal.reason : connectionLost(error.message));
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('the server does not respond')));
    request.on('error', onError);
    if (!content) {
      request.on('response', resolve).end();
      return;
    }
    const stream = Readable.from(content, { objectMode: false });
    // The response means that the server needs nothing more: it has every byte, or rejects the request. A request
    // that was not ended would keep its connection.
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

const connectionLost = (reason: string) => AgentErrors.channelLost(`a request to the server failed: ${reason}`);

async function* readChunks(response: IncomingMessage): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw connectionLost((error as Error).message);
  }
}

async function readBytes(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new Error('its response is too long');
      chunks.push(chunk);
    }
  } catch (error) {
    throw connectionLost((error as Error).message);
  }
  return Buffer.concat(chunks);
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(response, MAX_RESPONSE_BYTES);
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    // Not a response of svc but of a proxy: only its status is known.
    return undefined;
  }
}

function toRejection(status: number, json: unknown): Error {
  const { code, detail, next } = (json ?? {}) as { code?: unknown; detail?: unknown; next?: unknown };
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
  return fromChannelError({
    code: text(code, status >= 500 ? 'unavailable' : `http_${status}`),
    message: text(detail, `the server answered ${status}`),
    next: text(next, 'Check the network between the agent and the server.'),
    status,
  });
}
