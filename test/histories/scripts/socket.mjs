// The agent socket itself, as SDKs speak it.
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

const socket = createConnection(process.env.SVC_AGENT_SOCKET);
const waiting = [];
createInterface({ input: socket }).on('line', (line) => waiting.shift()(JSON.parse(line)));
let id = 0;
const ask = (body) =>
  new Promise((resolve) => {
    waiting.push(resolve);
    socket.write(`${JSON.stringify({ id: ++id, ...body })}\n`);
  });
const base64 = (text) => Buffer.from(text).toString('base64');
const call = (verb, ...args) => ask({ op: 'call', verb, args });
const said = [];

await ask({ op: 'hello', protocol: 2 });
for (const [name, exit] of [
  ['one', 0],
  ['two', 6],
  ['two', 0],
]) {
  let answer = await ask({ op: 'begin', kind: 'step', name, label: `Step ${name}` });
  if (answer.run)
    answer = await ask({ op: 'end', exit, stdout: base64(`${name}\0`), ...(exit ? { error: 'it threw' } : {}) });
  const { record } = answer;
  said.push([record.exit_code, record.output, record.message ?? null]);
}
await call('state', 'set', 'cell', 'value');
said.push((await call('state', 'get', 'cell')).stdout);
said.push((await call('sleep', '20ms')).exit);
said.push((await call('wait-signal', 'go')).stdout);
said.push((await call('wait-signal', 'never', '--timeout', '20ms')).exit);
await call('wait-signal', 'end');
await call('output', 'set', `said:=${JSON.stringify(said)}`);
socket.end();
