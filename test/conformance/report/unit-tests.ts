import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface UnitTest {
  name: string;
  /** The rules that its title names, each with its `@`. */
  tags: readonly string[];
}

const clone = join(import.meta.dirname, '../../..');

/** The title of a unit test: `t.test('@CRED-022 …'`. */
const TITLE = /\bt\.test\(\s*(['"`])([^'"`\n]*)\1/g;

/** What no scenario can see from outside, a unit test shows, with the rule's id in its title. */
export async function readUnitTests(): Promise<UnitTest[]> {
  const tests: UnitTest[] = [];
  for await (const file of glob(['{kernel,plugins,cli}/**/*.test.ts', 'test/**/*.test.ts'], { cwd: clone }))
    for (const [, , title = ''] of (await readFile(join(clone, file), 'utf8')).matchAll(TITLE)) {
      const tags = title.match(/@[A-Z]+-\d+/g);
      if (tags) tests.push({ name: `${file}: ${title}`, tags });
    }
  return tests;
}
