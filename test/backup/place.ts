import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, LocalTools } from '../../kernel/boot/index.ts';
import { boot as bootServer, openTestDatabase, type Store, type TestDatabase } from '../kit/index.ts';

export interface ToolAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  text: string;
}

/** Databases and files of one test. */
export class Place {
  readonly folder: string;
  readonly notes: string[] = [];
  readonly #databases: TestDatabase[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Place> {
    return new Place(await mkdtemp(join(tmpdir(), 'svc-backup-')));
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** An empty database. */
  async empty(store: Store, master_key?: string): Promise<TestDatabase> {
    const made = await openTestDatabase(store);
    this.#databases.push(made);
    return master_key === undefined ? made : { ...made, master_key };
  }

  /** A database as the first start of a server leaves it. */
  async started(store: Store): Promise<TestDatabase> {
    const database = await this.empty(store);
    await this.start(database);
    return database;
  }

  async start(database: TestDatabase): Promise<void> {
    const server = await bootServer({ database, access: 'empty', quiet: true });
    await server.kernel.stop();
    await server.close();
  }

  /** `svc admin <tool>` in this process. */
  async tool(
    tool: 'backup' | 'restore',
    { url, master_key }: Pick<TestDatabase, 'url' | 'master_key'>,
    file: string,
    flags: Record<string, unknown> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolAnswer> {
    const env = { SVC_LOG_LEVEL: 'silent', SVC_DATABASE_URL: url, SVC_MASTER_KEY: master_key };
    const settings = { home: join(this.folder, 'home') };
    const kernel = await boot({ role: 'local', env, settings, bare: true });
    try {
      const found = kernel.use.all(LocalTools).find(({ name }) => name === tool)!;
      const reporter = { status: () => undefined, note: (text: string) => this.notes.push(text), live: false };
      return await found.run(kernel.use, { args: [file], flags, env, input: { reporter, signal } });
    } finally {
      await kernel.stop();
    }
  }

  async close(): Promise<void> {
    for (const database of this.#databases) await database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
