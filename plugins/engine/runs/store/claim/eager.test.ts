import t from 'tap';
import { InstantWorker, systemClock } from '../../../../../test/kit/index.ts';
import type { NewActivity } from '../../contract.ts';

import { EagerClaimers } from './eager.ts';
import type { ClaimedActivity } from '../rows/activities.ts';

const RUN = { org_id: 'org_1', project_id: 'prj_1', run_id: 'run_1' };
const ACTIVITY: NewActivity = { activity_id: 'act_1', name: 'main', executor: 'script', spec: null, requires: [] };

t.test('places that transactions count on are free again when these are done, or undone', async (t) => {
  let now = 0;
  let counted = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const claims = new EagerClaimers({ clock, load: async () => undefined, onClaimed: () => (counted += 1) });
  const worker = Object.assign(new InstantWorker(), { room: 2 });
  claims.join(worker);
  const take = () => claims.claimerFor(RUN, ACTIVITY, true);
  t.equal(claims.capacity(), 2);
  t.equal(take(), worker);
  t.equal(take(), worker);
  t.equal(take(), undefined, 'two are promised');
  t.equal(claims.capacity(), 0);

  claims.deliver(worker, { trusted: true } as ClaimedActivity);
  t.equal(worker.room, 1, 'one is taken');
  t.equal(counted, 1);
  t.equal(take(), undefined, 'and the other is promised still');

  now = 999;
  t.equal(take(), undefined);
  now = 1000;
  t.equal(take(), worker, 'its transaction was undone');
});

t.test('untrusted work gets the places that it may have, and leaves the others to trusted work', async (t) => {
  const claims = new EagerClaimers({ clock: systemClock, load: async () => undefined, onClaimed: () => {} });
  const worker = Object.assign(new InstantWorker(), { room: 3, untrusted_room: 1 });
  claims.join(worker);
  const take = (trusted: boolean) => claims.claimerFor(RUN, ACTIVITY, trusted);
  t.equal(take(false), worker);
  t.equal(take(false), undefined, 'the only one is promised');
  t.equal(take(true), worker);
  t.equal(take(true), worker);
  t.equal(take(true), undefined);
});

t.test('what its run or its project may not have is left to wait', async (t) => {
  const claims = new EagerClaimers({ clock: systemClock, load: async () => undefined, onClaimed: () => {} });
  const asked: unknown[] = [];
  let free = 1;
  const slots = {
    take: (...given: unknown[]) => {
      asked.push(given);
      return free-- > 0;
    },
    giveBack: () => {},
    full: () => ({ runs: [], projects: [] }),
  };
  const worker = Object.assign(new InstantWorker(), { room: 3, slots });
  claims.join(worker);
  t.equal(claims.claimerFor(RUN, ACTIVITY, false), worker);
  t.equal(claims.claimerFor(RUN, ACTIVITY, false), undefined);
  const use = { ...RUN, activity_id: 'act_1', trusted: false };
  t.same(asked, [
    [use, 1000],
    [use, 1000],
  ]);
});

t.test('woken work goes to the one that has kept it, if it has room, and to another one otherwise', async (t) => {
  const claims = new EagerClaimers({ clock: systemClock, load: async () => undefined, onClaimed: () => {} });
  const idle = Object.assign(new InstantWorker(), { load: 0 });
  const keeper = Object.assign(new InstantWorker(), { room: 1, load: 0.9, retains: (id: string) => id === 'act_1' });
  claims.join(idle);
  claims.join(keeper);
  t.equal(claims.claimerFor(RUN, { ...ACTIVITY, activity_id: 'act_2' }, true), idle);
  t.equal(claims.claimerFor(RUN, ACTIVITY, true), keeper);
  t.equal(claims.claimerFor(RUN, ACTIVITY, true), idle, 'nobody waits for it');
});
