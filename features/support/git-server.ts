import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reach } from './reach.ts';

export interface GitServer {
  url: string;
  close(): Promise<void>;
}

/** Serves the repositories of a folder over HTTP to who sends this authorization. */
export async function openGitServer(root: string, authorization: string): Promise<GitServer> {
  const server = createServer((request, response) => {
    if (request.headers.authorization === authorization) void serve(root, request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  });
  server.listen(0, reach().listens);
  await once(server, 'listening');
  return {
    url: `http://${reach().host}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const body =
    request.headers['content-encoding'] === 'gzip' ? request.pipe((await import('node:zlib')).createGunzip()) : request;
  body.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf('\r\n\r\n');
  for (const line of answer.subarray(0, end).toString().split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
    if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
    else if (name !== '') response.setHeader(name, value);
  }
  response.end(answer.subarray(end + 4));
}
