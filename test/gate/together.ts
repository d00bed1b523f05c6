import { resolve } from 'node:path';
import t from 'tap';
import { END_OF } from './tap-part.ts';

/**
 * Runs the tap files of SVC_TEST_FILES, a JSON array, in this one process, one after the other. Whoever reads the output tells
 * them apart by a line at the end of each. They are no arguments: tap names the folders of tests by those.
 */
async function main(files: readonly string[]): Promise<void> {
  // After its first teardown, tap ends the root as soon as it is idle, as it is while the next file is loaded.
  const teardowns: Teardown[] = [];
  t.teardown = (teardown: Teardown) => void teardowns.push(teardown);
  for (const file of files) {
    try {
      await import(resolve(file));
    } catch (error) {
      t.error(error, `${file} can be loaded`);
    }
    // As long as the longest of the files may take by itself, whatever this one has set for the root that they share.
    t.setTimeout(Number(process.env.TAP_TIMEOUT || 1800) * 1000);
    // It waits for all that the file has begun.
    await t.test(`${END_OF}${file}`, async () => undefined);
    for (const teardown of teardowns.splice(0).reverse()) await teardown();
  }
}

type Teardown = () => unknown;

await main(JSON.parse(process.env.SVC_TEST_FILES || '[]') as string[]);
