import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { state, step } from 'svc/sdk';

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));
async function two(name: string, ms: number): Promise<string> {
  const first = await step(`${name} 1`, async () => {
    await later(ms);
    return name;
  });
  return await step(`${name} 2`, () => `${first}!`);
}
console.log(JSON.stringify(await Promise.all([two('slow', 30), two('fast', 1), state.set('k', 'v'), state.get('k')])));
// A second copy of the SDK, as a dependency of the script may bring one.
cpSync(fileURLToPath(new URL('.', import.meta.resolve('svc/sdk'))), 'copy-of-sdk', { recursive: true });
const again: typeof import('svc/sdk') = await import(resolve('copy-of-sdk/sdk.mjs'));
const nested = again.step('outer', () => step('inner', () => 1));
console.log(await nested.catch((error: Error) => error.message));
let leaked: Promise<unknown> = Promise.resolve();
await step('leaves work behind', () => {
  leaked = later(5).then(() => step('after it', () => 'late'));
});
console.log(await leaked);
