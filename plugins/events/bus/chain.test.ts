import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { RunFeed } from '../../engine/runs/contract.ts';
import type { Chain } from './generated/chain.ts';
import { createChains } from './service/chain.ts';
import { BusProject, type BusServer, openServers } from './testing/bus-server.ts';
import { STORES } from '../../../test/kit/index.ts';

const said = (links: Chain['after']): string[] =>
  links.map(({ depth, relation, kind, name, id }) => `${depth} ${relation} ${kind} ${name ?? id}`);

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

for (const store of STORES)
  t.test(store, async (t) => {
    const fixture = await openServers(store, 1);
    t.teardown(() => fixture.close());
    const [server] = fixture.servers as [BusServer];
    const chains = createChains({ on: server.use(Database), feed: server.use(RunFeed) });
    const by = (run_id: string) => ({ source: 'emit', source_name: run_id }) as const;

    await t.test('what led to a run, and what came of it', async (t) => {
      const p = new BusProject(server);
      // The first, because it is claimed.
      const waits = await p.waiting('go', { workflow: 'waits.sh' });
      const push = await p.emit('pushed');
      const first = await p.submit({ workflow: 'first.sh', trigger: { type: 'pushed', event: push }, triggered: true });
      const done = await p.emit('build.done', by(first.run_id));
      const second = await p.submit({
        workflow: '<b>2',
        trigger: { type: 'build.done', event: done },
        triggered: true,
      });
      const spawned = { trigger: { type: 'spawn', parent: second.run_id }, parent: second.run_id };
      const child = await p.submit({ workflow: 'child.sh', ...spawned });
      const same = { trigger: { type: 'build.done', event: done }, triggered: true };
      const again = await p.submit({ workflow: 'again.sh', ...same });
      await server.database.write('UPDATE runs_runs SET rerun_of = ? WHERE run_id = ?', [second.run_id, again.run_id]);
      const go = await p.emit('go', by(child.run_id));
      await server.deliver();

      const ofPush = await chains.readEventChain(p.scope, push, 50);
      t.same(said(ofPush.before), []);
      t.same(said(ofPush.after), [
        '1 started run first.sh',
        '2 emitted event build.done',
        '3 started run <b>2',
        '4 called run child.sh',
        '5 emitted event go',
        '6 woke run waits.sh',
        '4 rerun run again.sh',
      ]);
      t.notOk(ofPush.after_more);
      t.match(ofPush.after[0], { id: first.run_id, status: 'queued', kind: 'run' });

      const ofWoken = await chains.readRunChain(p.scope, child.run_id, 50);
      t.same(said(ofWoken.before), [
        '1 called run <b>2',
        '2 started event build.done',
        '3 emitted run first.sh',
        '4 started event pushed',
      ]);
      t.equal(ofWoken.after[1]?.id, waits.run_id);
      t.same(said((await chains.readEventChain(p.scope, go, 50)).before).slice(0, 2), [
        '1 emitted run child.sh',
        '2 called run <b>2',
      ]);

      const few = await chains.readEventChain(p.scope, push, 3);
      t.equal(few.after.length, 3);
      t.equal(few.after_more, true);
      const other = new BusProject(server);
      await t.rejects(chains.readRunChain(other.scope, child.run_id, 50), { code: 'not_found' }, 'of another project');
      await t.rejects(chains.readEventChain(other.scope, push, 50), { code: 'not_found' });
      await t.rejects(chains.readRunChain(p.scope, 'ä'.repeat(300), 50), { code: 'not_found' });
      await t.rejects(chains.readEventChain(p.scope, 'evt_\u{1f389}', 50), { code: 'not_found' });
    });

    await t.test('what is gone is named, and much is bounded', async (t) => {
      const p = new BusProject(server);
      const lost = await p.submit({ trigger: { type: 'push', event: 'evt_gone' }, triggered: true });
      t.match((await chains.readRunChain(p.scope, lost.run_id, 50)).before, [
        { id: 'evt_gone', kind: 'event', depth: 1 },
      ]);
      const wide = await p.submit();
      await Promise.all(Array.from({ length: 140 }, () => p.emit('many', by(wide.run_id))));
      const found = await chains.readRunChain(p.scope, wide.run_id, 200);
      t.equal(found.after_more, true);
      t.ok(found.after.length > 100 && found.after.length <= 128, `${found.after.length} links`);
    });
  });
