import t from 'tap';
import { InstantWorker, systemClock } from '../../../test/kit/index.ts';
import type { NewActivity } from '../contract.ts';
import type { TakenClaim } from './claim.ts';
import { InstantClaimers } from './instant-claims.ts';

const ACTIVITY: NewActivity = { activity_id: 'act_1', name: 'main', executor: 'script', spec: null, requires: [] };

t.test('places that transactions count on are free again when these are done, or undone', async (t) => {
  let now = 0;
  let counted = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const claims = new InstantClaimers({ clock, load: async () => undefined, claimedAtOnce: () => (counted += 1) });
  const worker = Object.assign(new InstantWorker(), { room: 2 });
  claims.join(worker);
  const take = () => claims.claimerFor('org_1', ACTIVITY);
  t.equal(claims.room(), 2);
  t.equal(take(), worker);
  t.equal(take(), worker);
  t.equal(take(), undefined, 'two are promised');
  t.equal(claims.room(), 0);

  claims.handOver(worker, {} as TakenClaim);
  t.equal(worker.room, 1, 'one is taken');
  t.equal(counted, 1);
  t.equal(take(), undefined, 'and the other is promised still');

  now = 999;
  t.equal(take(), undefined);
  now = 1000;
  t.equal(take(), worker, 'its transaction was undone');
});
