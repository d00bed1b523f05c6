import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type Mutant, planted } from './planted.ts';

const root = resolve(import.meta.dirname, '../..');
/** What a copy does without, or shares with the clone. */
const LEFT = ['node_modules', '.git', '.tap', 'reports'];

/** A copy of the clone, in which faults are planted one after the other. The clone itself is never written to. */
export class Tree {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async copy(): Promise<Tree> {
    const folder = await mkdtemp(join(tmpdir(), 'mt-'));
    await cp(root, folder, { recursive: true, filter: (path) => !LEFT.includes(relative(root, path)) });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new Tree(folder);
  }

  /** With the fault in it until `use` has ended. */
  async with<T>(mutant: Mutant, use: () => Promise<T>): Promise<T> {
    const path = join(this.folder, mutant.file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, planted(text, mutant));
    try {
      return await use();
    } finally {
      await writeFile(path, text);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
