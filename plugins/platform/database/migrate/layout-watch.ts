import {
  type Database,
  type Log,
  type PluginMigrations,
  type Clock,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { WriteState } from '../write-state.ts';
import { countSteps, newerLayout } from './layout.ts';
import { newerThan } from './migrate.ts';

/** The longest time for which a server keeps working on a database that a newer version has begun to migrate. */
const POLL_MS = 3_000;

export interface LayoutWatchOptions {
  database: Pick<Database, 'read'>;
  writes: WriteState;
  migrations: readonly PluginMigrations[];
  version: string;
  clock: Clock;
  log: Log;
}

/** Notices when a newer version migrates the database, and stops all writes of this server unless the change is additive. */
export class LayoutWatch {
  readonly #options: LayoutWatchOptions;
  readonly #loop: WorkLoop;
  #steps: number | undefined;

  constructor(options: LayoutWatchOptions) {
    this.#options = options;
    this.#loop = new WorkLoop({
      clock: options.clock,
      log: options.log,
      poll: { min_ms: POLL_MS, max_ms: POLL_MS },
      messages: {
        failing: 'the version of the database cannot be read',
        recovered: 'the version of the database can be read again',
      },
      iterate: () => this.#poll(),
    });
  }

  /** Starts polling. The returned function stops it. */
  start(): () => Promise<void> {
    return this.#loop.start();
  }

  async #poll(): Promise<{ processed: number }> {
    const { database, writes, migrations, version, log } = this.#options;
    if (writes.retired) return { processed: 0 };
    const steps = await countSteps(database);
    if (steps === this.#steps) return { processed: 0 };
    const newer = await newerLayout(database, migrations);
    const migrated = this.#steps !== undefined;
    this.#steps = steps;
    if (newer === undefined) {
      if (migrated) log.info({ version }, 'another version has migrated the database; this server continues');
      return { processed: 0 };
    }
    const error = newerThan(version, newer);
    writes.retire(error);
    log.error({ code: error.code, reason: error.message, next: error.next }, 'this server accepts no more work');
    return { processed: 0 };
  }
}
