import { appendFileSync } from 'node:fs';
import { step, StepError, waitSignal } from 'svc/sdk';

class LookupError extends Error {
  override name = 'LookupError';
}

function ran<T>(result: T): T {
  appendFileSync('{folder}/ran', 'x\n');
  return result;
}

const good: { n: number } = await step('good', () => ran({ n: 1 }));
console.log('got', JSON.stringify(good));
try {
  await step('bad', async (): Promise<void> => ran(Promise.reject(new LookupError('no'))));
} catch (error) {
  if (error instanceof StepError) console.log('caught', error.message);
}
await waitSignal('go');
