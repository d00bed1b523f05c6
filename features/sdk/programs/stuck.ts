import { appendFileSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { output, step } from 'svc/sdk';

const before = await step('before', () => 'kept');
appendFileSync('{folder}/passes', `${process.env.SVC_AGENT_PID}\n`);
const first = readFileSync('{folder}/passes', 'utf8').split('\n').length === 2;
try {
  const stuck = await step('stuck', async ({ idempotencyKey }) => {
    appendFileSync('{folder}/keys', `${idempotencyKey}\n`);
    if (first) await readFile('{folder}/open');
    return 'done';
  });
  await output.set({ before, stuck });
} catch (error) {
  console.log('swallowed', error);
}
