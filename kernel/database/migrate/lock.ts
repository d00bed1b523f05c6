import type { Cancel, Clock, Database, Ids, Log } from '../../contracts/index.ts';
import { DatabaseErrors } from '../errors.ts';

const LEASE_MS = 5_000;
const RENEW_MS = 1_250;
const LONGEST_PAUSE_MS = 250;
const PATIENCE_MS = 180_000;

interface Deps {
  clock: Clock;
  log: Log;
  ids: Ids;
}

export interface MigrationLock {
  /** Throws `migration_locked` when the lock was lost to another process. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Waits for the right to change the schema. A row with an owner and an expiry, so that the lock of a killed process
 * ends by itself. Answers undefined as soon as `done` says that another process did all the work.
 */
export async function lockSchema(
  database: Database,
  deps: Deps,
  done: () => Promise<boolean>,
): Promise<MigrationLock | undefined> {
  const owner = `${deps.ids.next('mig')}.${process.pid}`;
  const until = deps.clock.monotonic() + PATIENCE_MS;
  for (let pause_ms = 20; ; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
    if (await done()) return undefined;
    if (await take(database, owner)) return held(database, deps, owner);
    if (deps.clock.monotonic() > until) throw DatabaseErrors.migrationLocked(await holder(database));
    await new Promise<void>((resolve) => deps.clock.after(pause_ms, resolve));
  }
}

async function take(database: Database, owner: string): Promise<boolean> {
  const now = database.now();
  const changed = await database.write(
    "UPDATE kernel_migration_lock SET owner = ?, expires_at = ? WHERE name = 'schema' AND (owner = '' OR owner = ? OR expires_at < ?)",
    [owner, now + LEASE_MS, owner, now],
  );
  return changed === 1;
}

/** Extends the lock; false when another process has it. */
async function renew(database: Database, owner: string): Promise<boolean> {
  const sql = "UPDATE kernel_migration_lock SET expires_at = ? WHERE name = 'schema' AND owner = ?";
  return (await database.write(sql, [database.now() + LEASE_MS, owner])) === 1;
}

function held(database: Database, { clock, log }: Deps, owner: string): MigrationLock {
  let released = false;
  let cancel: Cancel = () => undefined;
  let renewing: Promise<void> = Promise.resolve();
  const keep = async () => {
    try {
      await renew(database, owner);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'the lock of the schema could not be renewed');
    }
    arm();
  };
  const arm = () => {
    if (released) return;
    cancel = clock.after(RENEW_MS, () => {
      renewing = keep();
    });
  };
  arm();
  return {
    assertHeld: async () => {
      if (!(await renew(database, owner))) throw DatabaseErrors.migrationLocked(await holder(database));
    },
    release: async () => {
      released = true;
      cancel();
      await renewing;
      await database.write(
        "UPDATE kernel_migration_lock SET owner = '', expires_at = 0 WHERE name = 'schema' AND owner = ?",
        [owner],
      );
    },
  };
}

async function holder(database: Database): Promise<string> {
  const [row] = await database.read<{ owner: string }>("SELECT owner FROM kernel_migration_lock WHERE name = 'schema'");
  return `the lock is held by ${row?.owner || 'nobody any more'} (the number at the end is its process)`;
}
