import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import type { ActivityEnd, ActivityObserver } from '../../../engine/runs/contract.ts';
import type { AccountKey } from '../store/accounts.ts';

const MAX_CACHED = 10_000;

/** Remembers which account the request of an activity carries, on this server only. The cache serves as a hint. */
export class PresentedAccounts {
  readonly #accounts = new BoundedMap<string, AccountKey>(MAX_CACHED);

  record(activity_id: string, key: AccountKey): void {
    this.#accounts.set(activity_id, key);
  }

  /**
   * Observes results and reports an account when a server answered 401 to its request, after the commit that stores the
   * result.
   */
  observer(onRejected: (key: AccountKey) => void): ActivityObserver {
    return {
      name: 'accounts',
      onEnded: async (tx, _run, { activity_id, result }) => {
        const key = this.#accounts.get(activity_id);
        if (key === undefined) return;
        tx.afterCommit(() => {
          this.#accounts.delete(activity_id);
          if (isUnauthorized(result)) onRejected(key);
        });
      },
    };
  }
}

/** The answer is stored as data, or as the failure that the node requested. */
function isUnauthorized(result: ActivityEnd['result']): boolean {
  if (result.status === 'failed') return result.code === 'request_failed' && / answered 401(:|$)/.test(result.message);
  const { output } = result;
  return typeof output === 'object' && output !== null && !Array.isArray(output) && output.status === 401;
}
