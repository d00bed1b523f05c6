// Asks a model what to do, does it with a tool, tells the model what came of it, and so on until it has an answer.
// What the model said and what a tool did is asked for once, however often the program is started anew.
import { input, output, step } from 'svc/sdk';

const base = process.env.MODEL_URL;
const post = async (path, body, key) => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

const tools = {
  weather: ({ city }, key) => post('/tools/weather', { city }, key),
  add: ({ a, b }) => ({ sum: a + b }),
};

const messages = [{ role: 'user', content: input().input.question }];
for (let turn = 0; turn < 10; turn++) {
  const reply = await step('ask', ({ idempotencyKey }) => post('/chat', { messages }, idempotencyKey));
  messages.push(reply);
  if (!reply.tool) break;
  const result = await step(`tool-${reply.tool.name}`, ({ idempotencyKey }) =>
    tools[reply.tool.name](reply.tool.arguments, idempotencyKey),
  );
  messages.push({ role: 'tool', content: JSON.stringify(result) });
}
await output.set({ answer: messages.at(-1).content, messages: messages.length });
