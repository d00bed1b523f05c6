// Stands in for an agent from before timeouts, and asks the SDK for one.
import { createServer } from 'node:net';

const heard = [];
const old = createServer((socket) =>
  socket.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\n')) heard.push(JSON.parse(line).op);
    socket.write('{"id":0,"ok":true,"protocol":1}\n');
  }),
);
await new Promise((listening) => old.listen('{folder}/old', listening));
process.env.SVC_AGENT_SOCKET = '{folder}/old';
const { waitSignal } = await import('svc/sdk');
await waitSignal('go', { timeout: '1h' }).catch((error) => console.log(error.code, error.message));
console.log('heard', heard.join());
process.exit(0);
