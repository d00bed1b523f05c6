import t from 'tap';
import { Database } from '../../../../../kernel/contracts/index.ts';
import { bootEngine, STORES } from '../../../../../test/kit/index.ts';
import { RunEngine, RunStore } from '../../contract.ts';
import { readSignals } from './signal-list.ts';

for (const store of STORES)
  t.test(`${store}: a search of signals ends after so many, and goes on from there`, async (t) => {
    const server = await bootEngine({ store });
    t.teardown(() => server.close());
    const { run_id } = await server.use(RunEngine).submit(server.submit({}));
    for (let n = 0; n < 12; n += 1)
      await server.use(RunStore).sendSignal({ ...server.scope, run_id, name: `s${n}`, payload: n });
    const database = server.use(Database);
    await database.write("UPDATE runs_signals SET state = 'taken' WHERE run_id = ? AND name = 's1'", [run_id]);
    const pages: string[][] = [];
    for (let before: number | undefined; ; ) {
      const { signals, searched_to } = await readSignals(database, run_id, { state: 'taken', before, limit: 9 }, 5);
      pages.push(signals.map(({ name }) => name));
      before = searched_to;
      if (before === undefined) break;
    }
    t.same(pages.flat(), ['s1']);
    t.ok(pages.length >= 3, `${pages.length} pages`);
    t.same((await readSignals(database, run_id, { state: 'taken', before: undefined, limit: 9 })).signals.length, 1);
    const all = await readSignals(database, run_id, { state: undefined, before: undefined, limit: 20 }, 5);
    t.equal(all.signals.length, 12, 'without a filter each row counts');
    t.equal(all.searched_to, undefined);
  });
