import type { Database } from '../../kernel/contracts/index.ts';

/** A database like `real` in all but what is given, such as another clock or transactions that break. */
export const alteredDatabase = (real: Database, changes: Partial<Database>): Database => ({
  sql: real.sql,
  sequelize: real.sequelize,
  read: (statement, params) => real.read(statement, params),
  write: (statement, params) => real.write(statement, params),
  cached: (key, tables, load, bytes) => real.cached(key, tables, load, bytes),
  transaction: (work) => real.transaction(work),
  usesCommitCertification: () => real.usesCommitCertification(),
  ping: () => real.ping(),
  catchUp: () => real.catchUp(),
  now: () => real.now(),
  retired: () => real.retired(),
  ...changes,
});
