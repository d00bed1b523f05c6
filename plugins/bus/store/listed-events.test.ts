import t from 'tap';
import { type Database, type Param, type Queries, Sealer } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import type { EventSource, NewEvent } from '../contract.ts';
import { BusProject, openServers } from '../testing/bus-server.ts';
import { listEvents } from './event-rows.ts';

const OWN_TYPES: [EventSource, string][] = [
  ['manual', 'manual'],
  ['spawn', 'spawn'],
  ['lifecycle', 'run.started'],
  ['lifecycle', 'run.succeeded'],
  ['lifecycle', 'run.failed'],
  ['lifecycle', 'run.cancelled'],
];
const OTHERS: [EventSource, string][] = [
  ['emit', 'a'],
  ['hook', 'a'],
  ['forge', 'push'],
  ['schedule', 'schedule.tick'],
  ['account', 'svc.account.needs_reauth'],
];
const ALL = [...OWN_TYPES, ...OTHERS];

/** How the database would look for the rows of each statement that is read. */
async function plansOf(database: Database, work: (on: Pick<Queries, 'read'>) => Promise<unknown>): Promise<string> {
  const plans: unknown[] = [];
  await work({
    async read<Row>(statement: string, params: readonly Param[] = []): Promise<Row[]> {
      plans.push(await database.read(`EXPLAIN QUERY PLAN ${statement}`, params));
      return [];
    },
  });
  return JSON.stringify(plans);
}

for (const store of STORES)
  t.test(`${store}: events of every source are listed newest first, page by page`, async (t) => {
    const { servers, close } = await openServers(store, 1);
    t.teardown(close);
    const [server] = servers;
    const { database, bus } = server!;
    const { scope } = new BusProject(server!);
    const event = ([source, type]: [EventSource, string], n: number): NewEvent => ({
      ...scope,
      ...{ type, source, source_name: `name_${n}`, key: n % 2 === 0 ? 'even' : 'odd', payload: n },
      ...{ generation: 0, trusted: true, refusable: false, withheld: true },
    });
    const sent = Array.from({ length: 5 * ALL.length }, (_, n) => ALL[(n * 7) % ALL.length]!);
    await server!.use(Sealer).prepare(scope.org_id);
    await database.transaction((tx) => bus.record(tx, sent.map(event)));
    const elsewhere = new BusProject(server!);
    await elsewhere.emit('a');

    for (const source of new Set(ALL.map(([one]) => one)))
      for (const more of [{}, { key: 'even' }, { type: ALL.find(([one]) => one === source)![1] }]) {
        const wanted = sent
          .map(([from, type], n) => ({ from, type, key: n % 2 === 0 ? 'even' : 'odd', name: `name_${n}` }))
          .filter((one) => one.from === source)
          .filter((one) => !('key' in more) || one.key === more.key)
          .filter((one) => !('type' in more) || one.type === more.type)
          .map(({ name }) => name)
          .toReversed();
        const seen: string[] = [];
        for (let before_seq: number | undefined; ; ) {
          const page = await listEvents(database, scope, { source, ...more, ...(before_seq && { before_seq }) }, 2);
          t.ok(page.length <= 2);
          seen.push(...page.map(({ source_name }) => source_name));
          if (page.length < 2) break;
          before_seq = Number(page.at(-1)!.seq);
        }
        t.same(seen, wanted, `${source} ${JSON.stringify(more)}`);
        if (database.sql.family !== 'sqlite') continue;
        const plan = await plansOf(database, (on) => listEvents(on, scope, { source, ...more, before_seq: 9 }, 2));
        const byType = OWN_TYPES.some(([own]) => own === source) ? 'type' : 'source';
        const index = 'key' in more ? 'key' : 'type' in more ? 'type' : byType;
        t.match(plan, `INDEX bus_events_${index} `, `${source} ${JSON.stringify(more)}: what finds the fewest`);
        t.notMatch(plan, /TEMP B-TREE/, 'which gives the order');
      }
  });
