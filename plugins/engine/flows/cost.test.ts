import t from 'tap';
import {
  Database,
  Expressions,
  type LockedRows,
  MAX_UNITS_TOGETHER,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { until } from '../../../test/kit/index.ts';
import { RunStore, TERMINAL } from '../runs/contract.ts';
import { expr, failing, FlowServer, node, set, shell } from './testing/flow-server.ts';

t.setTimeout(600_000);

const flows = await FlowServer.open({ idle: false });
t.teardown(() => flows.close());
const database = flows.server.use(Database);
const expressions = flows.server.use(Expressions);

interface Cost {
  transactions: number;
  statements: number;
  rows: number;
}

interface Most {
  /** Bytes of text and of buffers that the largest transaction wrote. */
  largest: number;
  /** Bytes of buffers that the largest statement read. */
  largest_read: number;
  /** Work of expressions in the transaction with the most. */
  units: number;
}

/** Statements and rows of the transactions in `work`. */
const cost = async (work: () => Promise<unknown>): Promise<Cost> => (await measure(work)).counted;

/** The largest transactions and statements in `work`. */
const most = async (work: () => Promise<unknown>): Promise<Most> => (await measure(work)).most;

async function measure(work: () => Promise<unknown>): Promise<{ counted: Cost; most: Most }> {
  const counted = { transactions: 0, statements: 0, rows: 0 };
  const most = { largest: 0, largest_read: 0, units: 0 };
  const transaction = database.transaction.bind(database);
  const counting = (tx: Transaction, written = { bytes: 0 }): Transaction => ({
    sql: tx.sql,
    afterCommit: (run) => tx.afterCommit(run),
    cached: (key, tables, load) => tx.cached(key, tables, load),
    setCached: (key, tables, value) => tx.setCached(key, tables, value),
    async read<R>(statement: string, params?: Parameters<Transaction['read']>[1]) {
      const rows = await tx.read<R>(statement, params);
      const cells = rows.flatMap((row) => Object.values(row as object));
      const bytes = cells.reduce((sum, cell) => sum + (Buffer.isBuffer(cell) ? cell.length : 0), 0);
      most.largest_read = Math.max(most.largest_read, bytes);
      counted.statements += 1;
      counted.rows += rows.length;
      return rows;
    },
    async lock<R>(wanted: LockedRows) {
      const rows = await tx.lock<R>(wanted);
      counted.statements += 1;
      counted.rows += rows.length;
      return rows;
    },
    skipConflictGuard: (table, keys) => tx.skipConflictGuard(table, keys),
    async write(statement, params) {
      const rows = await tx.write(statement, params);
      counted.statements += 1;
      counted.rows += rows;
      for (const param of params ?? [])
        if (typeof param === 'string' || Buffer.isBuffer(param)) written.bytes += param.length;
      most.largest = Math.max(most.largest, written.bytes);
      return rows;
    },
  });
  Object.assign(database, {
    transaction: <T>(run: (tx: Transaction) => Promise<T>) => {
      counted.transactions += 1;
      return transaction(async (tx) => {
        const before = expressions.units();
        const result = await run(counting(tx));
        most.units = Math.max(most.units, expressions.units() - before);
        return result;
      });
    },
  });
  try {
    await work();
  } finally {
    Object.assign(database, { transaction });
  }
  return { counted, most };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return Math.round(performance.now() - from);
}

const ended = (run_id: string) =>
  until(async () => TERMINAL.includes((await flows.read(run_id)).status), { what: 'the end of the flow' });

/** No submitted work is left. */
const allBegun = () =>
  until(async () => (await database.read('SELECT 1 FROM flows_flows WHERE resume_at IS NOT NULL')).length === 0, {
    what: 'the begin of all nodes',
  });

/** The second of many nodes in a row ends on an agent. */
async function chainAdvance(length: number): Promise<Cost> {
  const nodes = Array.from({ length }, (_, n) => shell(`n${n}`, { needs: n === 0 ? [] : [`n${n - 1}`] }));
  const run_id = await flows.submit({ nodes });
  await flows.end((await flows.claim(1))[0]!);
  const [second] = await flows.claim(1);
  const counted = await cost(() => flows.end(second!));
  await cancel(run_id);
  return counted;
}

/** One of the many needs of a last node ends. */
async function joinAdvance(width: number): Promise<Cost> {
  const nodes = Array.from({ length: width }, (_, n) => shell(`n${n}`));
  const run_id = await flows.submit({ nodes: [...nodes, set('last', 1, { needs: nodes.map(({ id }) => id) })] });
  await allBegun();
  await flows.end((await flows.claim(1))[0]!);
  const [second] = await flows.claim(1);
  const counted = await cost(() => flows.end(second!));
  await cancel(run_id);
  return counted;
}

async function itemAdvance(items: number): Promise<Cost> {
  const fan_out = { items: Array.from({ length: items }, (_, n) => n), concurrency: 10 };
  const run_id = await flows.submit({ nodes: [shell('each', { fan_out })] });
  await flows.end((await flows.claim(1))[0]!);
  const [second] = await flows.claim(1);
  const counted = await cost(() => flows.end(second!));
  await cancel(run_id);
  return counted;
}

async function cancel(run_id: string): Promise<void> {
  const { org_id, project_id } = flows.server.scope;
  await flows.server.use(RunStore).cancelRun({ org_id, project_id, run_id, reason: 'measured' });
}

t.test('an advance costs the same however large the flow is', async (t) => {
  for (const [name, measure, small, large] of [
    ['chain', chainAdvance, 50, 5000],
    ['join', joinAdvance, 50, 4999],
    ['fan-out', itemAdvance, 100, 10_000],
  ] as const) {
    const [one, other] = [await measure(small), await measure(large)];
    t.comment(`${name} of ${small}: ${JSON.stringify(one)}; of ${large}: ${JSON.stringify(other)}`);
    t.same(other, one, name);
    t.ok(one.statements <= 30, `${one.statements} statements`);
    t.ok(one.rows <= 30, `${one.rows} rows`);
    t.equal(one.transactions, 1);
  }
});

t.test('what needs no agent is decided in the transaction of the submit', async (t) => {
  let run_id = '';
  const submit = (document: Parameters<FlowServer['submit']>[0]) => async () => {
    run_id = await flows.submit(document);
  };
  const one = await cost(submit({ nodes: [set('a')] }));
  t.match(await flows.read(run_id), { status: 'succeeded' });
  t.equal(one.transactions, 1);
  const chain = Array.from({ length: 100 }, (_, n) =>
    set(`n${n}`, n === 0 ? 0 : expr(`nodes.n${n - 1}.output + 1`), { needs: n === 0 ? [] : [`n${n - 1}`] }),
  );
  const output = { text: 'nodes.n99.output', reads: ['n99'] };
  let hundred = { transactions: 0, statements: 0, rows: 0 };
  const ms = await timed(async () => {
    hundred = await cost(submit({ nodes: chain, output }));
  });
  t.match(await flows.read(run_id), { status: 'succeeded', output: 99 });
  t.equal(hundred.transactions, 1);
  t.comment(`one node: ${JSON.stringify(one)}; 100 in a row: ${JSON.stringify(hundred)}, ${ms} ms`);
});

t.test('more than a transaction takes is left over, and done in the next ones', async (t) => {
  const fan_out = { items: Array.from({ length: 1000 }, (_, n) => n), concurrency: 50 };
  const each = set('each', expr('item * 2'), { fan_out });
  const output = { text: 'nodes.each.output[999]', reads: ['each'] };
  let run_id = '';
  let counted = { transactions: 0, statements: 0, rows: 0 };
  const ms = await timed(async () => {
    counted = await cost(async () => {
      run_id = await flows.submit({ nodes: [each], output });
      await ended(run_id);
    });
  });
  t.match(await flows.read(run_id), { status: 'succeeded', output: 1998 });
  t.comment(`1,000 items without an agent: ${JSON.stringify(counted)}, ${ms} ms`);
  const wide = Array.from({ length: 2000 }, (_, n) => set(`w${n}`, n, { needs: ['root'] }));
  const wide_id = await flows.submit({ nodes: [set('root'), ...wide] });
  t.match(await flows.read(wide_id), { status: 'running' });
  await ended(wide_id);
  t.match(await flows.read(wide_id), { status: 'succeeded' });
  t.same(await flows.broken(), []);
});

t.test('what grows from node to node is refused before it is too large to keep', async (t) => {
  const doubled = (length: number) => [
    set('n0', 'x'.repeat(1000)),
    ...Array.from({ length }, (_, n) =>
      set(`n${n + 1}`, expr(`[nodes.n${n}.output, nodes.n${n}.output]`), { needs: [`n${n}`] }),
    ),
  ];
  const large = await flows.submit({ nodes: doubled(11) });
  await ended(large);
  t.match(await flows.read(large), { status: 'succeeded' }, 'outputs of 2 MiB');
  const growing = await flows.submit({ nodes: doubled(40) });
  await ended(growing);
  t.match(await flows.read(growing), { status: 'failed', error: { code: 'flow_output_too_large' } });

  const fan_out = { items: Array.from({ length: 20 }, (_, n) => n), concurrency: 20 };
  const sum = set('sum', expr('size(nodes.each.output)'), { needs: ['each'] });
  const many = await flows.submit({ nodes: [shell('each', { fan_out }), sum] });
  const output = 'x'.repeat(1024 * 1024);
  for (const claim of await flows.claim(20)) await flows.end(claim, { status: 'succeeded', output });
  t.match(await flows.read(many), { status: 'failed', error: { code: 'flow_output_too_large' } });
});

t.test('attempts that need no agent count as steps of a transaction', async (t) => {
  const tries = { retry: { attempts: 100 }, continue_on_error: true };
  const run_id = await flows.submit({ nodes: Array.from({ length: 40 }, (_, n) => failing(`n${n}`, 999, tries)) });
  t.match(await flows.read(run_id), { status: 'running' }, 'the rest is left over');
  await ended(run_id);
  t.match(await flows.read(run_id), { status: 'succeeded' });
  t.same(await flows.broken(), []);
});

t.test('what needs one node is read in few statements', async (t) => {
  const wide = Array.from({ length: 400 }, (_, n) => set(`w${n}`, n, { needs: ['root'] }));
  await flows.submit({ nodes: [shell('root'), ...wide] });
  const [root] = await flows.claim(1);
  const counted = await cost(() => flows.end(root!));
  t.comment(JSON.stringify(counted));
  t.ok(counted.statements <= 60, `${counted.statements} statements`);
});

t.test('a transaction stores a bounded number of bytes, however much the nodes bring', async (t) => {
  const large = 'x'.repeat(1_000_000);
  const input = expr('input');
  const documents = {
    outputs: Array.from({ length: 30 }, (_, n) => set(`n${n}`, input)),
    work: Array.from({ length: 30 }, (_, n) => node('shell')(`n${n}`, { run: input })),
    items: [node('shell')('n', { run: input }, { fan_out: { items: Array.from({ length: 30 }, (_, n) => n) } })],
    lists: Array.from({ length: 30 }, (_, n) => shell(`n${n}`, { fan_out: { items: '[input]' } })),
  };
  for (const [what, nodes] of Object.entries(documents)) {
    const { largest } = await most(async () => {
      await flows.submit({ nodes }, large);
      await allBegun();
    });
    t.ok(largest < 12_000_000, `${what}: ${largest} bytes in one transaction`);
  }
});

const LIST = `[${Array.from({ length: 100 }, (_, n) => n).join(',')}]`;
/** An expression of about 100,000 units. */
const COSTLY = expr(`${LIST}.all(x, ${LIST}.all(y, x + y >= 0))`);

t.test('expressions have a bounded amount of work, in one node and in one transaction', async (t) => {
  const one = await most(async () => {
    const run_id = await flows.submit({
      nodes: [
        set(
          'a',
          Array.from({ length: 100 }, () => COSTLY),
        ),
      ],
    });
    const { status, error } = await flows.read(run_id);
    t.match({ status, error }, { status: 'failed', error: { message: /take too much work$/ } });
  });
  t.ok(one.units < 2 * MAX_UNITS_TOGETHER, `${one.units} units for one node`);
  const many = await most(async () => {
    const run_id = await flows.submit({ nodes: Array.from({ length: 40 }, (_, n) => set(`n${n}`, COSTLY)) });
    await ended(run_id);
    t.match(await flows.read(run_id), { status: 'succeeded' });
  });
  t.ok(many.units < 2 * MAX_UNITS_TOGETHER, `${many.units} units in one transaction`);
});

t.test('large outputs of items are read and copied a few at a time', async (t) => {
  const items = Array.from({ length: 60 }, (_, n) => n);
  const nodes = [set('a', expr('input'), { fan_out: { items } }), set('b', 1, { needs: ['a'] })];
  const output = { text: 'size(nodes.a.output)', reads: ['a'] };
  let run_id = '';
  const read = await most(async () => {
    run_id = await flows.submit({ nodes, output }, 'x'.repeat(500_000));
    await ended(run_id);
  });
  t.match(await flows.read(run_id), { status: 'failed', error: { code: 'flow_output_too_large' } });
  t.ok(read.largest_read < 3_000_000, `${read.largest_read} bytes are read for an expression`);
  const copied = await most(async () => {
    const answer = await flows.server.call('member', `POST ${flows.server.scoped}/runs/${run_id}/rerun`, { from: 'b' });
    t.equal(answer.status, 201, answer.text);
    await ended(answer.json.run_id as string);
  });
  t.ok(copied.largest_read < 3_000_000, `${copied.largest_read} bytes are read to copy`);
});
