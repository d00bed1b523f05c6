import t from 'tap';
import { type Database, type Param, type Queries, Sealer } from '../../../../kernel/contracts/index.ts';
import { STORES } from '../../../../test/kit/index.ts';
import type { EventSource, NewEvent } from '../contract.ts';
import { BusProject, openServers } from '../testing/bus-server.ts';
import { type EventFilter, listEvents } from './event-rows.ts';

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
async function plansOf(
  database: Database,
  work: (on: Pick<Queries, 'read' | 'sql'>) => Promise<unknown>,
): Promise<string> {
  const plans: unknown[] = [];
  await work({
    sql: database.sql,
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
          const filter = { source, ...more, ...(before_seq && { before_seq }) };
          const { rows: page } = await listEvents(database, scope, filter, 2);
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

    const sources = [...new Set(ALL.map(([one]) => one))];
    for (const excluded_sources of [
      ...sources.map((one) => [one]),
      ['lifecycle', 'manual', 'spawn'],
      sources,
    ] as const) {
      const excluded: readonly string[] = excluded_sources;
      const { rows } = await listEvents(database, scope, { excluded_sources }, sent.length);
      const wanted = sent.flatMap(([from], n) => (excluded.includes(from) ? [] : [`name_${n}`])).toReversed();
      t.same(
        rows.map(({ source_name }) => source_name),
        wanted,
        `all but ${excluded.join()}`,
      );
      if (database.sql.family !== 'sqlite' || excluded_sources === sources) continue;
      const plan = await plansOf(database, (on) => listEvents(on, scope, { excluded_sources, before_seq: 9 }, 2));
      t.notMatch(plan, /sqlite_autoindex|PRIMARY KEY|TEMP B-TREE/, 'each source is read from the end of its index');
    }
  });

for (const store of STORES)
  t.test(`${store}: a search ends somewhere, however many events there are, and goes on from there`, async (t) => {
    const { servers, close } = await openServers(store, 1);
    t.teardown(close);
    const [server] = servers;
    const { database, bus } = server!;
    const { scope } = new BusProject(server!);
    const sent = Array.from({ length: 40 }, (_, n) => ({
      type: n === 3 ? 'rare' : n % 5 === 0 ? 'other' : 'usual',
      source: n === 4 || n === 30 ? ('forge' as const) : ('hook' as const),
      key: n === 5 ? 'odd' : 'even',
    }));
    await server!.use(Sealer).prepare(scope.org_id);
    const event = (one: (typeof sent)[number], n: number): NewEvent => ({
      ...scope,
      ...{ ...one, source_name: `name_${n}`, payload: n },
      ...{ generation: 0, trusted: true, refusable: false, withheld: true },
    });
    await database.transaction((tx) => bus.record(tx, sent.map(event)));
    const reach = { rows: 4, windows: 2 };
    const whole = async (filter: EventFilter, limit: number) => {
      const names: string[] = [];
      let empty = 0;
      for (let before_seq: number | undefined; ; ) {
        const within = { ...filter, ...(before_seq !== undefined && { before_seq }) };
        const { rows, searched_to } = await listEvents(database, scope, within, limit + 1, reach);
        const page = rows.slice(0, limit);
        names.push(...page.map(({ source_name }) => source_name));
        if (page.length === 0) empty += 1;
        before_seq = rows.length > limit ? Number(page.at(-1)!.seq) : searched_to;
        if (before_seq === undefined) return { names, empty };
      }
    };
    for (const filter of [
      { type: 'usual', source: 'forge' },
      { type: 'usual', source: 'hook' },
      { type: 'usual', source: 'emit' },
      { type: 'rare', key: 'even' },
      { key: 'even', source: 'forge' },
      { type: 'other', key: 'odd', source: 'hook' },
      { key: 'even', source: 'lifecycle' },
      { type: 'usual', source: 'forge', since: 1 },
      { type: 'usual', excluded_sources: ['hook'] },
      { key: 'even', excluded_sources: ['forge', 'manual'] },
    ] as const) {
      const fits = ({ type, key, source }: (typeof sent)[number]) =>
        (!('excluded_sources' in filter) || !(filter.excluded_sources as readonly string[]).includes(source)) &&
        Object.entries(filter).every(
          ([name, value]) => ['since', 'excluded_sources'].includes(name) || { type, key, source }[name] === value,
        );
      const wanted = sent.map((one, n) => ({ one, name: `name_${n}` })).filter(({ one }) => fits(one));
      const names = wanted.map(({ name }) => name).toReversed();
      for (const limit of [1, 3, 50])
        t.same((await whole(filter, limit)).names, names, `${JSON.stringify(filter)} by ${limit}`);
    }
    const far = { type: 'usual', source: 'forge' } as const;
    t.ok((await whole(far, 50)).empty >= 1, 'the second one is far back');
    const counted = { statements: 0 };
    const counting: Pick<Queries, 'read' | 'sql'> = {
      sql: database.sql,
      read: (statement, params) => {
        counted.statements += 1;
        return database.read(statement, params);
      },
    };
    const { rows, searched_to } = await listEvents(counting, scope, { type: 'usual', source: 'emit' }, 50, reach);
    t.same(rows, []);
    t.ok(searched_to! > 40 - 12, 'eight of the type were looked at');
    t.equal(counted.statements, 4);
    const later = Number.MAX_SAFE_INTEGER;
    t.same(
      await listEvents(database, scope, { type: 'usual', source: 'emit', since: later }, 50, reach),
      { rows: [] },
      'nothing is looked for behind the time',
    );
  });

/** Twice as many each time. */
const DOUBLINGS = 15;

for (const store of STORES)
  t.test(`${store}: a page of a list with two filters reads a bounded part of many events`, async (t) => {
    const { servers, close } = await openServers(store, 1);
    t.teardown(close);
    const [server] = servers;
    const { database, bus, views } = server!;
    const { scope } = new BusProject(server!);
    await server!.use(Sealer).prepare(scope.org_id);
    const event = (source: EventSource): NewEvent => ({
      ...scope,
      ...{ type: 'usual', source, source_name: '', payload: 1, key: null },
      ...{ generation: 0, trusted: true, refusable: false, withheld: true },
    });
    await database.transaction((tx) => bus.record(tx, [event('forge'), event('hook')]));
    const rest = 'org_id, type, event_key, key_digest, source, source_name, generation, trusted, withheld, recorded_at';
    for (let n = 0; n < DOUBLINGS; n += 1)
      await database.transaction((tx) =>
        tx.write(
          `INSERT INTO bus_events (project_id, seq, event_id, body, ${rest})
           SELECT project_id, seq + ?, CONCAT('evt_', seq + ?), body, ${rest} FROM bus_events
           WHERE project_id = ? AND source = 'hook'`,
          [2 ** n, 2 ** n, scope.project_id],
        ),
      );
    const filter = { type: 'usual', source: 'forge' } as const;
    const first = await views.list(scope, filter, 50);
    t.same(first.events, []);
    t.equal(first.next_seq, 2 ** DOUBLINGS + 2 - 20_000, 'an empty page has a place to go on from');
    const second = await views.list(scope, { ...filter, before_seq: first.next_seq! }, 50);
    t.match(second, { events: [{ seq: 1 }], next_seq: undefined });
    const late = { ...filter, since: Number.MAX_SAFE_INTEGER };
    t.same(await views.list(scope, late, 50), { events: [] }, 'which a search within a time has not');
  });
