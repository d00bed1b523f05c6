import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const clone = resolve(import.meta.dirname, '../..');

/** Plugins of third parties, in a folder of theirs in which svc is installed. */
export class Guests {
  readonly #folder: string;
  readonly #plugins: string[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async in(folder: string): Promise<Guests> {
    await mkdir(join(folder, 'node_modules'));
    await symlink(clone, join(folder, 'node_modules/svc'));
    return new Guests(folder);
  }

  /** For SVC_PLUGINS. */
  get setting(): string {
    return this.#plugins.join(',');
  }

  async add(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const home = join(this.#folder, name);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    }
    this.#plugins.push(home);
  }

  /** The plugin that the README shows. */
  async addExample(): Promise<void> {
    const readme = await readFile(join(clone, 'plugins/operations/console/README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
    await this.add('hand-over', Object.fromEntries(blocks.map(([, path = '', text = '']) => [path, text])));
  }
}

/** A plugin that contributes to the console and nothing else; `register` is the body of its function. */
export function guest(id: string, register: string, modules: Readonly<Record<string, string>>) {
  const points = ['ConsolePages', 'ConsolePanels'].filter((point) => register.includes(`(${point},`));
  const contributes = points.map((point) => `console.${point}`);
  const plain = { version: '1.0.0', kernel: '^1', requires: ['console'], provides: [], summary: 'A guest.' };
  const manifest = JSON.stringify({ id, contributes, ...plain });
  const code = `import { join } from 'node:path';
import { definePlugin } from 'svc/plugin';
import { ConsolePages, ConsolePanels } from 'svc/console';
const module = (name) => join(import.meta.dirname, 'console', name);
export default definePlugin(${manifest}, (plugin) => {
  ${register}
});
`;
  const below = Object.entries(modules).map(([name, text]) => [`console/${name}`, text] as const);
  return { 'plugin.json': manifest, 'plugin.mjs': code, ...Object.fromEntries(below) };
}
