import t from 'tap';
import { STORES, until } from '../../../test/kit/index.ts';
import { RunStore } from '../../engine/runs/contract.ts';
import { expr, GraphServer, createGraph, node, set } from './testing/graph-server.ts';

t.setTimeout(600_000);

const nonEmpty = <T>(list: T[]) => list.length > 0 && list;
const put = (output: string) => ({ status: 'succeeded', output }) as const;

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const graphs = await GraphServer.openFor(t, { store });

    t.test('nodes without agents: values, conditions, switches and joins', async (t) => {
      const document = createGraph(
        [
          set('a', { n: expr('input.n + 1'), text: 'n is {{ input.n }}' }),
          node('big', 'condition', { if: 'nodes.a.output.n > 3' }),
          node('which', 'switch', { on: 'input.kind', cases: ['x', 'y'] }),
          set('yes'),
          set('no'),
          set('x_or_y', expr('input.kind')),
          set('other'),
          set('end', expr('[nodes.a.output.n, nodes["x_or_y"].output]'), { join: 'any' }),
        ],
        'a>big big>yes?true big>no?false a>which which>x_or_y?x which>x_or_y?y which>other?default x_or_y>end yes>end',
      );
      const run_id = await graphs.submit(document, { n: 5, kind: 'y' });
      t.match(await graphs.read(run_id), { status: 'succeeded', kind: 'graph', output: { end: [6, 'y'], no: null } });
      t.equal(
        await graphs.states(run_id),
        'a:succeeded big:succeeded which:succeeded yes:succeeded no:skipped x_or_y:succeeded other:skipped end:succeeded',
      );
    });

    t.test('an ancestor further up is read, and items of a fan-out have their item', async (t) => {
      const document = createGraph(
        [
          set('list', [{ x: 1 }, { x: 2 }]),
          set('between'),
          node('each', 'fan_out', {
            items: expr('nodes.list.output'),
            node: { type: 'set', config: { values: { twice: expr('item.x * 2'), at: expr('index') } } },
          }),
        ],
        'list>between between>each',
        { output: { all: expr('nodes.each.output'), n: 1.5 } },
      );
      const run_id = await graphs.submit(document);
      t.match(await graphs.read(run_id), {
        status: 'succeeded',
        output: {
          all: [
            { twice: 2, at: 0 },
            { twice: 4, at: 1 },
          ],
          n: 1.5,
        },
      });
    });

    t.test('programs on agents', async (t) => {
      const document = createGraph(
        [
          node('build', 'shell', { script: 'echo {{ input }}', env: { N: expr('input.n'), J: expr('input') } }),
          node('js', 'code', { script: 'console.log(1)', requires: ['gpu'] }, { retry: { attempts: 2 } }),
        ],
        'build>js',
      );
      const run_id = await graphs.submit(document, { n: 5 });
      const [build] = await graphs.claim();
      t.match(build, {
        name: 'build',
        executor: 'script',
        spec: {
          filename: 'build.sh',
          source: 'echo {{ input }}',
          captures: true,
          env: { N: '5', J: '{"n":5}' },
          credentials: {},
        },
      });
      await graphs.end(build!, put('built'));
      const [js] = await graphs.claim('gpu');
      t.match(js, { name: 'js', spec: { filename: 'js.js' } });
      await graphs.end(js!, put('done'));
      t.match(await graphs.read(run_id), { status: 'succeeded', output: 'done' });
    });

    t.test('a workflow node waits for a run of its own, and what calls itself ends', async (t) => {
      const inner = createGraph(
        [node('work', 'shell', { script: 'true' }), set('out', expr('[input, nodes.work.output]'))],
        'work>out',
      );
      t.match(await graphs.call('PUT /graphs/inner', inner), {
        status: 201,
        json: { version_number: 1, warnings: [] },
      });
      const outer = createGraph(
        [
          node('call', 'workflow', { graph: 'inner', input: { n: expr('input.n') } }),
          set('after', expr('nodes.call.output')),
        ],
        'call>after',
      );
      const run_id = await graphs.submit(outer, { n: 7 });
      t.match(await graphs.read(run_id), { status: 'waiting', substate: { kind: 'child' } });
      const [work] = await until(async () => nonEmpty(await graphs.claim()));
      t.equal(work!.name, 'work');
      await graphs.end(work!, put('done'));
      await until(async () => (await graphs.read(run_id)).status === 'succeeded');
      t.match(await graphs.read(run_id), { output: [{ n: 7 }, 'done'] });

      const cancelled = await graphs.submit(outer, { n: 8 });
      const [running] = await until(async () => nonEmpty(await graphs.claim()));
      t.equal(running!.name, 'work');
      const { substate } = await graphs.read(cancelled);
      await graphs.server.use(RunStore).cancelRun({ ...graphs.server.scope, run_id: cancelled, reason: 'enough' });
      await until(async () => (await graphs.read(substate!.run_id!)).status === 'cancelled');

      await graphs.call('PUT /graphs/loop', createGraph([node('again', 'workflow', { graph: 'loop' })]));
      const loop = await graphs.submit(createGraph([node('again', 'workflow', { graph: 'loop' })]));
      await until(async () => (await graphs.read(loop)).status === 'failed');
      t.match(await graphs.read(loop), { error: { message: /nested more than 16 levels deep/ } });
    });

    t.test('a document says how long to wait, before another attempt and for one', async (t) => {
      const retry = { attempts: 2, backoff: '1h' };
      const paused = await graphs.submit(createGraph([node('a', 'shell', { script: 'true' }, { retry })]));
      const [claim] = await until(async () => nonEmpty(await graphs.claim()));
      await graphs.end(claim!, { status: 'failed', code: 'script_failed', message: 'no' });
      t.equal(await graphs.states(paused), 'a:backoff');
      const limited = await graphs.submit(createGraph([node('d', 'delay', { for: '1h' }, { timeout: '20ms' })]));
      const run = await until(async () => {
        const read = await graphs.read(limited);
        return read.status === 'failed' && read;
      });
      t.match(run.error, { message: /node d: the attempt took longer than 20 ms/ });
    });

    t.test('a document says what a failure ends', async (t) => {
      const nodes = [set('bad', expr('[1][input]')), node('other', 'wait_signal', { name: 'go' })];
      const finishing = await graphs.submit(createGraph(nodes, '', { on_failure: 'finish' }), 7);
      t.equal(await graphs.states(finishing), 'bad:failed other:running');
      const stopped = await graphs.submit(createGraph(nodes), 7);
      t.match(await graphs.read(stopped), { status: 'failed', error: { message: /node bad/ } });

      const each = (type: string, more: object) =>
        node('each', 'fan_out', {
          items: [0, 7, 1],
          concurrency: 1,
          ...more,
          node: { type: 'emit', config: { type, payload: expr('[10, 20][item]') } },
        });
      const emitted = async (type: string) => (await graphs.call(`GET /events?type=${type}`)).json.events.length;
      const all = await graphs.submit(createGraph([each('all.of.them', { finish_all: true })]));
      t.match(await graphs.read(all), { status: 'failed' });
      t.equal(await emitted('all.of.them'), 2, 'the item after the failed one too');
      const first = await graphs.submit(createGraph([each('some.of.them', {})]));
      t.match(await graphs.read(first), { status: 'failed' });
      t.equal(await emitted('some.of.them'), 1);
    });

    t.test('a key of its own is rendered, and tells items apart', async (t) => {
      const emit = (id: string, key: unknown) =>
        node(id, 'emit', { type: `of.${id}`, payload: 1 }, { idempotency_key: key });
      const items = (id: string, key: unknown) =>
        node(
          id,
          'fan_out',
          { items: ['x', 'y', 'x'], node: { type: 'emit', config: { type: `of.${id}` } } },
          { idempotency_key: key },
        );
      const document = createGraph([
        emit('once', 'order {{ input.id }}'),
        emit('fresh', expr('run.id')),
        items('each', 'same'),
        items('by_item', '{{ item }}'),
      ]);
      for (const id of [1, 1, 2])
        t.match(await graphs.read(await graphs.submit(document, { id })), { status: 'succeeded' });
      const count = async (type: string) => (await graphs.call(`GET /events?type=${type}`)).json.events.length;
      t.equal(await count('of.once'), 2, 'one for each id');
      t.equal(await count('of.fresh'), 3);
      t.equal(await count('of.each'), 3, 'one for each place in the list, whatever the run');
      t.equal(await count('of.by_item'), 2, 'one for each item');
      const long = await graphs.submit(createGraph([emit('a', expr('input'))]), 'k'.repeat(181));
      t.match(await graphs.read(long), { status: 'failed', error: { code: /flow_/ } });
    });
  });
