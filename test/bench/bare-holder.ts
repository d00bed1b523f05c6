import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The floor of waiting requests: a bare server that keeps every request until `/end`, and tells its port on a line. */
const BODY = JSON.stringify({ run_id: 'run_01J00000000000000000000000', status: 'cancelled', filler: 'x'.repeat(400) });
const held: ServerResponse[] = [];

function end(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(BODY);
}

const server = createServer((request, response) => {
  if (request.url === '/held') response.end(String(held.length));
  else if (request.url !== '/end') held.push(response);
  else {
    for (const one of held.splice(0)) end(one);
    end(response);
  }
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
