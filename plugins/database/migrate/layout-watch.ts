import {
  type Database,
  type Log,
  type PluginMigrations,
  type Clock,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import type { WriteState } from '../write-state.ts';
import { countSteps, newerLayout } from './layout.ts';
import { newerThan } from './migrate.ts';

/** How long a server works at most on a database that a newer one has begun to migrate. */
const LOOK_MS = 3_000;

export interface LayoutWatchParts {
  database: Pick<Database, 'read'>;
  writes: WriteState;
  migrations: readonly PluginMigrations[];
  version: string;
  clock: Clock;
  log: Log;
}

/** Notices that a newer version migrates the database under this server, and lets it write nothing more unless that is additive. */
export class LayoutWatch {
  readonly #parts: LayoutWatchParts;
  readonly #loop: WorkLoop;
  #steps: number | undefined;

  constructor(parts: LayoutWatchParts) {
    this.#parts = parts;
    this.#loop = new WorkLoop({
      clock: parts.clock,
      log: parts.log,
      poll: { min_ms: LOOK_MS, max_ms: LOOK_MS },
      says: {
        failing: 'the version of the database cannot be read',
        recovered: 'the version of the database can be read again',
      },
      round: () => this.#look(),
    });
  }

  /** The returned function stops it. */
  start(): () => Promise<void> {
    return this.#loop.start();
  }

  async #look(): Promise<{ found: number }> {
    const { database, writes, migrations, version, log } = this.#parts;
    if (writes.retired) return { found: 0 };
    const steps = await countSteps(database);
    if (steps === this.#steps) return { found: 0 };
    const newer = await newerLayout(database, migrations);
    const migrated = this.#steps !== undefined;
    this.#steps = steps;
    if (newer === undefined) {
      if (migrated)
        log.info({ version }, 'another version has migrated the database, and this server goes on beside it');
      return { found: 0 };
    }
    const error = newerThan(version, newer);
    writes.retire(error);
    log.error({ code: error.code, reason: error.message, next: error.next }, 'this server takes no more work');
    return { found: 0 };
  }
}
