import { join } from 'node:path';
import { pino } from 'pino';
import type { OwnTarget } from '../../features/support/target.ts';
import { openDatabase } from '../../plugins/platform/database/open-database.ts';
import { checkBusInvariants } from '../../plugins/events/bus/testing/invariants.ts';
import { checkFlows } from '../../plugins/engine/flows/testing/invariants.ts';
import { checkHandlerInvariants } from '../../plugins/events/handlers/testing/invariants.ts';
import { checkLockInvariants } from '../../plugins/execution/locks/testing/invariants.ts';
import { checkRuns, createIds, systemClock } from '../kit/index.ts';
import type { CrashRun } from './crash-run.ts';
import { readLedger } from './ledger.ts';
import type { Workload } from './script.ts';

/** Where a target's scripts note their side effects. */
export const ledgerOf = (own: OwnTarget, name = 'ledger') => join(own.folder, name);

/** Everything that is not as promised, in the records, in the ledger and in the database. */
export async function violationsOf(own: OwnTarget, run: CrashRun, work: Workload, ledger: string): Promise<string[]> {
  return [
    ...(await run.violations()),
    ...(await run.handlerViolations()),
    ...(await ledgerViolations(ledger, work.effects)),
    ...(await sqlViolations(own.env)),
  ];
}

/** Every side effect happened, and with one idempotency key however often it was tried. */
export async function ledgerViolations(path: string, effects: readonly string[]): Promise<string[]> {
  const ledger = await readLedger(path);
  const missing = effects.filter((site) => !ledger.has(site)).map((site) => `${site} was recorded but never done`);
  const several = [...ledger]
    .filter(([, { keys }]) => keys.size !== 1)
    .map(([site]) => `${site} was seen with several keys`);
  const keys = new Set([...ledger.values()].flatMap((entry) => [...entry.keys]));
  const shared = keys.size === ledger.size ? [] : ['two sites share an idempotency key'];
  return [...missing, ...several, ...shared];
}

/** What breaks the invariants of the database. */
export async function sqlViolations(env: Record<string, string>): Promise<string[]> {
  const log = pino({ level: 'silent' });
  const handle = await openDatabase(
    { database_url: env.SVC_DATABASE_URL! },
    { clock: systemClock, log, ids: createIds(systemClock) },
  );
  try {
    const { database } = handle;
    return [
      ...(await checkRuns(database)),
      ...(await checkLockInvariants(database)),
      ...(await checkBusInvariants(database)),
      ...(await checkHandlerInvariants(database)),
      ...(await checkFlows(database)),
    ];
  } finally {
    await handle.close();
  }
}
