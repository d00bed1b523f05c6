import t from 'tap';
import { openTestDatabase, STORES, until } from '../../../test/kit/index.ts';
import type { Completion, Json } from '../runs/contract.ts';
import { type Document, expr, failing, FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(600_000);

const broken = { status: 'failed', code: 'broken', message: 'it broke' } as const;
const put = (output: Json): Completion => ({ status: 'succeeded', output });

/** Ends everything that can be claimed, by name; whatever is not named puts its name out. Answers what was claimed. */
async function work(flows: FlowServer, ends: Record<string, Completion> = {}): Promise<string> {
  const names: string[] = [];
  for (;;) {
    const claims = (await flows.claim()).toSorted((a, b) => a.name.localeCompare(b.name));
    if (claims.length === 0) return names.join(' ');
    for (const claim of claims) {
      names.push(claim.name);
      // Another node may have ended the run.
      await flows.end(claim, ends[claim.name] ?? put(claim.name)).catch(() => undefined);
    }
  }
}

const rerun = async (flows: FlowServer, run_id: string, from?: string, all?: boolean) => {
  const { server } = flows;
  const answer = await server.call('member', `POST ${server.scoped}/runs/${run_id}/rerun`, { from, all });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json.run_id as string;
};

const steps = async (flows: FlowServer, run_id: string, query = '') =>
  (await flows.server.call('viewer', `GET ${flows.server.scoped}/runs/${run_id}/steps?${query}`)).json.steps;

/** `a` feeds `b` and `c`, `d` joins them; `e` stands alone. */
const DIAMOND: Document = {
  nodes: [
    set('a', { n: expr('input') }),
    shell('b', { needs: ['a'] }),
    shell('c', { needs: ['a'] }),
    shell('d', { needs: ['b', 'c'] }),
    shell('e'),
  ],
  output: {
    text: '[nodes.a.output.n, nodes.b.output, nodes.c.output, nodes.d.output, nodes.e.output]',
    reads: ['a', 'b', 'c', 'd', 'e'],
  },
};

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    const flows = await FlowServer.openFor(t, { database });

    t.test('the node and what comes after it run again, everything else keeps its output', async (t) => {
      const first = await flows.submit(DIAMOND, 7);
      t.equal(await work(flows, { d: broken, b: put('old b'), c: put('old c'), e: put('old e') }), 'b c e d');
      t.match(await flows.read(first), { status: 'failed' });
      const again = await rerun(flows, first, 'd');
      t.match(await flows.states(again), /a:succeeded b:succeeded c:succeeded d:running e:succeeded/);
      t.equal(await work(flows, { d: put('new d') }), 'd');
      t.match(await flows.read(again), {
        status: 'succeeded',
        rerun_of: first,
        output: [7, 'old b', 'old c', 'new d', 'old e'],
      });
      const shown = await steps(flows, again, 'output=true');
      t.same(
        shown.map(({ node: id, kept = false, output, attempt }: Record<string, unknown>) => [
          id,
          kept,
          output,
          attempt,
        ]),
        [
          ['a', true, { n: 7 }, 1],
          ['b', true, 'old b', 1],
          ['c', true, 'old c', 1],
          ['d', false, 'new d', 1],
          ['e', true, 'old e', 1],
        ],
      );
      const third = await rerun(flows, again, 'b');
      t.equal(await work(flows, { b: put('third b'), d: put('third d') }), 'b d');
      t.match((await flows.read(third)).output, [7, 'third b', 'old c', 'third d', 'old e']);
      const whole = await rerun(flows, third);
      t.equal(await work(flows), 'b c e d');
      t.match((await flows.read(whole)).output, [7, 'b', 'c', 'd', 'e']);
    });

    t.test('without a node, what succeeded is kept; with `all` nothing is', async (t) => {
      const first = await flows.submit({ ...DIAMOND, on_failure: 'finish' }, 7);
      t.equal(await work(flows, { c: broken, b: put('old b'), e: put('old e') }), 'b c e');
      const again = await rerun(flows, first);
      t.equal(await work(flows, { c: put('new c') }), 'c d');
      t.match(await flows.read(again), {
        status: 'succeeded',
        rerun_of: first,
        output: [7, 'old b', 'new c', 'd', 'old e'],
      });
      const whole = await rerun(flows, first, undefined, true);
      t.equal(await work(flows), 'b c e d');
      t.match(await flows.read(whole), { output: [7, 'b', 'c', 'd', 'e'], rerun_of: first });
      const anew = await rerun(flows, again);
      t.equal(await work(flows), 'b c e d', 'of a run that succeeded nothing is left to do');
      t.match(await flows.read(anew), { status: 'succeeded', rerun_of: again });
      const { server } = flows;
      const both = await server.call('member', `POST ${server.scoped}/runs/${first}/rerun`, { from: 'b', all: true });
      t.match(both, { status: 400, json: { code: 'invalid_request', errors: [{ pointer: '/all' }] } });
    });

    t.test('branches that did not come to an end run again, with what comes after them', async (t) => {
      const document: Document = {
        on_failure: 'finish',
        nodes: [
          shell('a'),
          shell('b', { needs: ['a'] }),
          shell('x'),
          shell('y', { needs: ['x'] }),
          shell('z', { needs: ['b', 'y'], if: { text: 'true', always: true } }),
        ],
      };
      const first = await flows.submit(document);
      await work(flows, { x: broken });
      t.equal(await flows.states(first), 'a:succeeded b:succeeded x:failed y:skipped z:succeeded');
      const again = await rerun(flows, first, 'b');
      t.equal(await work(flows), 'b x y z', 'a is kept, and no skip that a failure caused');
      t.equal(await flows.states(again), 'a:succeeded b:succeeded x:succeeded y:succeeded z:succeeded');
      const stopped = await flows.submit({ nodes: [shell('a'), shell('b'), shell('c', { needs: ['b'] })] });
      const claims = (await flows.claim()).toSorted((x, y) => x.name.localeCompare(y.name));
      await flows.end(claims[0]!, broken);
      const later = await rerun(flows, stopped, 'a');
      t.equal(await work(flows), 'a b c', 'what was cancelled with the failure runs again');
      t.match(await flows.read(later), { status: 'succeeded' });
    });

    t.test('cases, skips, absorbed failures and joins mean what they meant', async (t) => {
      const first = await flows.submit(
        {
          nodes: [
            node('condition')('c', { if: 'input > 3' }),
            set('yes', 'yes', { needs: [{ node: 'c', when: true }] }),
            set('no', 'no', { needs: [{ node: 'c', when: false }] }),
            failing('f', 9, { continue_on_error: true }),
            shell('join', { needs: ['yes', 'no'], join: 'any' }),
            set('end', expr('[nodes.c.case, nodes.yes.output, nodes.no.status, nodes.f.error.code]'), {
              needs: ['join', 'c', 'yes', 'no', 'f'],
              join: 'any',
            }),
            shell('never', { needs: ['no', 'join'] }),
          ],
          output: { text: 'nodes.end.output', reads: ['end'] },
        },
        5,
      );
      t.equal(await work(flows), 'join');
      const again = await rerun(flows, first, 'join');
      t.equal(await work(flows), 'join');
      t.match(await flows.read(again), { status: 'succeeded', output: [true, 'yes', 'skipped', 'invalid_request'] });
      t.equal(
        await flows.states(again),
        'c:succeeded yes:succeeded no:skipped f:failed join:succeeded end:succeeded never:skipped',
      );
    });

    t.test('a node that the run does not have is refused, and so is a run that is not over', async (t) => {
      const { server } = flows;
      const run_id = await flows.submit(DIAMOND, 1);
      const ask = (from: string) => server.call('member', `POST ${server.scoped}/runs/${run_id}/rerun`, { from });
      t.match(await ask('d'), { status: 409, json: { code: 'run_unfinished' } });
      await work(flows);
      for (const from of ['x', 'b[0]', 'b#0', 'A'])
        t.match(await ask(from), {
          status: 400,
          json: { code: 'invalid_request', detail: /its nodes are a, b, c, d, e/, errors: [{ pointer: '/from' }] },
        });
    });

    t.test('items of a fan-out are kept with their outputs', async (t) => {
      const first = await flows.submit({
        nodes: [
          shell('each', { fan_out: { items: [1, 2, 3], concurrency: 3 }, continue_on_error: true }),
          shell('last', { needs: ['each'] }),
        ],
        output: { text: '[nodes.each.output, nodes.last.output]', reads: ['each', 'last'] },
      });
      await work(flows, { 'each[1]': broken, last: broken });
      const again = await rerun(flows, first, 'last');
      t.equal(await work(flows), 'last');
      t.same((await flows.read(again)).output, [['each[0]', null, 'each[2]'], 'last']);
      t.match(await steps(flows, again, 'node=each&output=true'), [
        { node: 'each', item: 0, state: 'succeeded', kept: true, output: 'each[0]' },
        { item: 1, state: 'failed', kept: true, error: { code: 'broken' } },
        { item: 2, output: 'each[2]' },
      ]);
      const all = await rerun(flows, again, 'each');
      t.equal(await work(flows), 'each[0] each[1] each[2] last');
      t.match(await flows.read(all), { status: 'succeeded' });
    });

    t.test('many results are copied in bounded transactions, by whichever server is there', async (t) => {
      const count = 300;
      const items = Array.from({ length: 700 }, (_, i) => i);
      const chain = Array.from({ length: count }, (_, i) =>
        set(`n${i}`, i === 0 ? 0 : expr(`nodes.n${i - 1}.output + 1`), { needs: i === 0 ? [] : [`n${i - 1}`] }),
      );
      const document: Document = {
        nodes: [
          ...chain,
          set('many', expr('item * 2'), { fan_out: { items, concurrency: 1000 } }),
          shell('last', { needs: [`n${count - 1}`, 'many'] }),
        ],
        output: { text: `nodes.n${count - 1}.output + nodes.many.output[699]`, reads: [`n${count - 1}`, 'many'] },
      };
      const worker = await FlowServer.open({ database, idle: false });
      try {
        const first = await worker.submit(document);
        await until(() => worker.claim().then(([claim]) => claim && worker.end(claim, broken).then(() => true)));
        t.match(await worker.read(first), { status: 'failed' });
        // The server that makes the rerun carries nothing on.
        const again = await rerun(flows, first, 'last');
        const claim = await until(() => worker.claim().then(([one]) => one));
        t.equal(claim.name, 'last');
        await worker.end(claim);
        t.match(await worker.read(again), { status: 'succeeded', output: 299 + 1398 });
        const states = await worker.states(again);
        t.notMatch(states, /waiting|running|failed/);
      } finally {
        await worker.close();
      }
    });
  });
