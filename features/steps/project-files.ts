import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Then } from '@cucumber/cucumber';
import type { SvcWorld } from '../support/world.ts';

/** The CLI wrote them on this machine. */
Then('no file below {string} has {string}', async function (this: SvcWorld, folder: string, text: string) {
  const below = join(this.folder, folder);
  const entries = await readdir(below, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(files.length > 0, `there are no files below ${folder}`);
  const found: string[] = [];
  for (const file of files) if ((await readFile(file, 'utf8')).includes(text)) found.push(file);
  assert.deepEqual(found, [], `files with "${text}"`);
});
