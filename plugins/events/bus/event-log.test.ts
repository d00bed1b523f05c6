import { randomInt } from 'node:crypto';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import { EventLog } from './contract.ts';
import { preserveLastSeq } from './store/heads.ts';
import { BusProject, openServers } from './testing/bus-server.ts';

const DAY_MS = 24 * 3_600_000;

// @store: numbers are found by the plans of queries.
for (const store of STORES)
  t.test(`${store}: numbers are found by time, and counted by type, as a plain look would`, async (t) => {
    const { servers, close } = await openServers(store, 1);
    t.teardown(close);
    const project = new BusProject(servers[0]!);
    const { project_id } = project.scope;
    const database = servers[0]!.use(Database);
    const log = servers[0]!.use(EventLog);
    t.equal(await log.last(project_id), 0);
    t.equal(await log.numberAt(project_id, 0, { low: 1, high: 1 }), 1);
    const types = ['a', 'b', 'c'];
    for (let n = 0; n < 60; n++) await project.emit(types[randomInt(types.length)]!);
    await new BusProject(servers[0]!).emit('a');
    // Times that stand still and jump, and numbers that retention has removed.
    let at = database.now() - DAY_MS;
    for (let seq = 1; seq <= 60; seq++) {
      at += [0, 0, 1000, 100_000][randomInt(4)]!;
      await database.write('UPDATE bus_events SET recorded_at = ? WHERE project_id = ? AND seq = ?', [
        at,
        project_id,
        seq,
      ]);
    }
    await preserveLastSeq(database, project_id, { seq: 60, at });
    await database.write('DELETE FROM bus_events WHERE project_id = ? AND (seq < 7 OR seq IN (20, 21, 60))', [
      project_id,
    ]);
    const rows = (
      await database.read<{ seq: number; type: string; recorded_at: number }>(
        'SELECT seq, type, recorded_at FROM bus_events WHERE project_id = ? ORDER BY seq',
        [project_id],
      )
    ).map(({ type, ...row }) => ({ type, seq: Number(row.seq), at: Number(row.recorded_at) }));
    const end = (await log.last(project_id)) + 1;
    t.equal(end, 61);
    const times = [0, ...rows.flatMap((row) => [row.at - 1, row.at, row.at + 1]), at + 1];
    for (const time of times) {
      const found = await log.numberAt(project_id, time, { low: 1, high: end });
      const after = rows.filter((row) => row.seq >= found);
      if (!after.every((row) => row.at >= time) || rows.some((row) => row.seq < found && row.at >= time))
        t.fail(`${time} was found at ${found}`);
    }
    for (let n = 0; n < 30; n++) {
      const [from, to] = [randomInt(0, 62), randomInt(0, 62)].toSorted((a, b) => a - b) as [number, number];
      const wanted = new Map<string, number>();
      for (const { type, seq } of rows)
        if (seq >= from && seq < to && type !== 'c') wanted.set(type, (wanted.get(type) ?? 0) + 1);
      t.same(
        new Map([...(await log.count(project_id, ['a', 'b', 'z'], from, to))].toSorted()),
        new Map([...wanted].toSorted()),
      );
    }
    const latest = await log.latest(project.scope, 'b', 4);
    t.same(
      latest.map(({ seq }) => seq),
      rows
        .filter(({ type }) => type === 'b')
        .map(({ seq }) => seq)
        .slice(-4)
        .toReversed(),
    );
  });
