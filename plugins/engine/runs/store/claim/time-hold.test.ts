import t from 'tap';
import { Database } from '../../../../../kernel/contracts/index.ts';
import { bootEngine, STORES } from '../../../../../test/kit/index.ts';
import { RunEngine } from '../../contract.ts';
import { activityTimeHold } from './time-hold.ts';

for (const store of STORES)
  t.test(`${store}: queued and claimed work holds the clock, and a jump moves the claims along`, async (t) => {
    const server = await bootEngine({ store });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const work = activityTimeHold(database);
    const deadlines = async () => {
      const rows = await database.read<{ deadline: number | null }>('SELECT deadline FROM runs_activities');
      return rows.map(({ deadline }) => deadline);
    };
    let jumps = 0;
    const jump = (resting: number) => work.jump(60_000, resting, () => (jumps += 1));
    t.equal(await work.isInFlight(0), false, 'there is nothing yet');
    await server.use(RunEngine).submit(server.submit());
    t.equal(await work.isInFlight(1), true, 'it is queued');
    t.equal(await jump(1), false);
    await server.claim();
    t.equal(await work.isInFlight(0), true, 'it is claimed');
    t.equal(await jump(0), false);
    t.equal(jumps, 0);
    const [before] = await deadlines();
    t.equal(await work.isInFlight(1), false, 'it is claimed, and rests');
    t.equal(await jump(1), true);
    t.equal(jumps, 1);
    t.same(await deadlines(), [before! + 60_000]);
  });
