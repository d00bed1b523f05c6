import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** Nobody tells that nothing more will come, so that a value counts when it has stood still for so long. */
const SETTLED_MS = 250;

/**
 * Waits until what is read is what is wanted, and then looks whether it stays so. What is absent, or there so many
 * times, is shown for a server that does its work after it has answered, too.
 */
export async function settles(read: () => Promise<unknown>, wanted: unknown, bound_ms = 120_000): Promise<void> {
  const end = Date.now() + bound_ms;
  let found = await read();
  for (; !isDeepStrictEqual(found, wanted) && Date.now() < end; found = await read()) await pause();
  assert.deepEqual(found, wanted);
  // Counted in looks: on a machine that stood still, time passes before anything else can happen.
  for (let looks = 0; looks * PAUSE_MS < SETTLED_MS; looks += 1) {
    await pause();
    assert.deepEqual(await read(), wanted);
  }
}

const PAUSE_MS = 50;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
