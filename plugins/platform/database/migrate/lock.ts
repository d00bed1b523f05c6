import type { Cancel, Database } from '../../../../kernel/contracts/index.ts';
import type { DatabaseDeps } from '../deps.ts';
import { DatabaseErrors } from '../errors.ts';

const LEASE_MS = 5_000;
const RENEW_MS = 1_250;
const MAX_PAUSE_MS = 250;
const MAX_WAIT_MS = 180_000;

export interface MigrationLock {
  /** Throws `migration_locked` when another process took the lock. */
  assertNotLost(): Promise<void>;
  /** True once `assertNotLost` has found that another process has the lock. */
  lost(): boolean;
  release(): Promise<void>;
}

/**
 * Acquires the migration lock, which is a row with an owner and an expiry time, so that the lock of a killed process expires.
 * Returns undefined as soon as `done` reports that another process has done all the work.
 */
export async function lockSchema(
  database: Database,
  deps: DatabaseDeps,
  done: () => Promise<boolean>,
): Promise<MigrationLock | undefined> {
  const owner = `${deps.ids.next('mig')}.${process.pid}`;
  const until = deps.clock.monotonic() + MAX_WAIT_MS;
  for (let pause_ms = 20; ; pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)) {
    if (await done()) return undefined;
    if (await acquireRow(database, owner)) return startRenewal(database, deps, owner);
    if (deps.clock.monotonic() > until) throw DatabaseErrors.migrationLocked(await readHolder(database));
    await new Promise<void>((resolve) => deps.clock.after(pause_ms, resolve));
  }
}

async function acquireRow(database: Database, owner: string): Promise<boolean> {
  const now = database.now();
  const changed = await database.write(
    "UPDATE kernel_migration_lock SET owner = ?, expires_at = ? WHERE name = 'schema' AND (owner = '' OR owner = ? OR expires_at < ?)",
    [owner, now + LEASE_MS, owner, now],
  );
  return changed === 1;
}

/** Extends the lock. Returns false when another process has it. */
async function renew(database: Database, owner: string): Promise<boolean> {
  const sql = "UPDATE kernel_migration_lock SET expires_at = ? WHERE name = 'schema' AND owner = ?";
  return (await database.write(sql, [database.now() + LEASE_MS, owner])) === 1;
}

function startRenewal(database: Database, { clock, log }: DatabaseDeps, owner: string): MigrationLock {
  let [released, lost] = [false, false];
  let cancel: Cancel = () => undefined;
  let renewing: Promise<void> = Promise.resolve();
  const renewOnce = async () => {
    try {
      await renew(database, owner);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'renewing the migration lock failed');
    }
    arm();
  };
  const arm = () => {
    if (released) return;
    cancel = clock.after(RENEW_MS, () => {
      renewing = renewOnce();
    });
  };
  arm();
  return {
    assertNotLost: async () => {
      lost = !(await renew(database, owner));
      if (lost) throw DatabaseErrors.migrationLocked(await readHolder(database));
    },
    lost: () => lost,
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

async function readHolder(database: Database): Promise<string> {
  const [row] = await database.read<{ owner: string }>("SELECT owner FROM kernel_migration_lock WHERE name = 'schema'");
  return `the lock is held by ${row?.owner || 'a process that has ended'} (the number at the end is the process id)`;
}
