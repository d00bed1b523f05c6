import { BoundedMap } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, ActivityObserver } from '../../runs/contract.ts';
import type { AccountKey } from '../store/accounts.ts';

const MAX_KNOWN = 10_000;

/** Which account the request of an activity carries, as long as this server knows it: enough for a hint. */
export class PresentedAccounts {
  readonly #known = new BoundedMap<string, AccountKey>(MAX_KNOWN);

  note(activity_id: string, key: AccountKey): void {
    this.#known.set(activity_id, key);
  }

  /** Calls `refused` after the commit in which a far end's 401 to such a request is stored. */
  observer(refused: (key: AccountKey) => void): ActivityObserver {
    return {
      name: 'accounts',
      onEnded: async (tx, _run, { activity_id, result }) => {
        const key = this.#known.get(activity_id);
        if (key === undefined) return;
        tx.afterCommit(() => {
          this.#known.delete(activity_id);
          if (isRefused(result)) refused(key);
        });
      },
    };
  }
}

/** As data, or as the failure that the node asked for. */
function isRefused(result: ActivityEnd['result']): boolean {
  if (result.status === 'failed') return result.code === 'request_failed' && / answered 401(:|$)/.test(result.message);
  const { output } = result;
  return typeof output === 'object' && output !== null && !Array.isArray(output) && output.status === 401;
}
