import { type Clock, type Database, type Log, MEMBER } from '../../../../kernel/contracts/index.ts';
import { type LiveMessage, type LiveTopic, polledFeed } from '../../../engine/live/contract.ts';
import type { Wakeups } from '../../../engine/runs/contract.ts';
import { listStates } from '../store/accounts.ts';
import { CHANGED } from './loop.ts';

export interface LiveAccountsDeps {
  database: Pick<Database, 'read'>;
  wakeups: Pick<Wakeups, 'onTopic'>;
  clock: Clock;
  log: Log;
}

type States = ReadonlyMap<string, string>;

/** A project has few accounts, so that all of their states are read each time. */
export const accountsTopic = ({ database, wakeups, clock, log }: LiveAccountsDeps): LiveTopic => ({
  name: 'accounts',
  description:
    '`account` messages: name and status of connected accounts; the status is `removed` when an account was removed',
  access: MEMBER,
  async open(scope, _, feed) {
    const read = async (): Promise<States> => {
      const rows = await listStates(database, scope);
      return new Map(rows.map(({ name, status, status_at }) => [name, `${status} ${status_at}`]));
    };
    return polledFeed<States>(
      {
        clock,
        log,
        name: 'accounts',
        readCursor: read,
        onHint: (wake) => wakeups.onTopic(CHANGED, wake),
        async poll(before) {
          const now = await read();
          return { cursor: now, messages: diffStates(before, now) };
        },
      },
      feed,
    );
  },
});

function diffStates(before: States, now: States): LiveMessage[] {
  const changed = [...now].filter(([name, state]) => before.get(name) !== state);
  const removed = [...before.keys()].filter((name) => !now.has(name));
  return [
    ...changed.map(([name, state]) => ({ event: 'account', data: { name, status: state.split(' ')[0] } })),
    ...removed.map((name) => ({ event: 'account', data: { name, status: 'removed' } })),
  ];
}
