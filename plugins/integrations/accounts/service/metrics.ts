import type { Database, Metrics } from '../../../../kernel/contracts/index.ts';
import { countByStatus } from '../store/accounts.ts';

const STATUSES = ['active', 'refreshing', 'needs_reauth', 'in_doubt', 'disabled'] as const;

/** Exports the number of accounts in each status, across all projects. */
export function registerMetrics(metrics: Metrics, database: Pick<Database, 'read'>): void {
  for (const status of STATUSES)
    metrics.gauge(
      `svc_accounts_${status}`,
      `Connected accounts with the status ${status}.`,
      async () => (await countByStatus(database)).get(status) ?? 0,
    );
}
