import t from 'tap';
import type { Json } from '../../runs/contract.ts';
import type { FlowNode, FlowNodeState } from '../contract.ts';
import { isEdgeMet, isDecided, resolveDependency, newRow, type NodeRow, NODE_ITEM } from './decide.ts';
import { validatePlan, type PlannedNode, toPlannedNodes } from './plan.ts';

/** Pseudo-random numbers below 1; the same seed gives the same. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Fate {
  succeeds: boolean;
  case: boolean | null;
  /** The result of its condition. */
  wanted: boolean;
}

const CASES = [undefined, true, false] as const;

/** A plan without cycles, in which nodes need earlier ones, and the outcome of each node. */
function generate(random: () => number): { nodes: FlowNode[]; fates: Fate[] } {
  const below = (count: number) => Math.floor(random() * count);
  const nodes = Array.from({ length: 1 + below(25) }, (_, n): FlowNode => {
    const earlier = new Set(Array.from({ length: below(4) }, () => below(n)).filter((m) => m < n));
    return {
      id: `n${n}`,
      type: 'set',
      continue_on_error: below(4) === 0,
      join: below(3) === 0 ? 'any' : 'all',
      needs: [...earlier].map((m) => ({ node: `n${m}`, when: below(3) === 0 ? CASES[below(3)] : undefined })),
      ...(below(3) === 0 ? { if: { text: 'asked', always: below(2) === 0 } } : {}),
    };
  });
  const fates = nodes.map(() => ({ succeeds: below(5) > 0, case: CASES[below(3)] ?? null, wanted: below(4) > 0 }));
  return { nodes, fates };
}

/** The outcome of each node from its needs alone: slow and simple. */
function expected(nodes: readonly FlowNode[], fates: readonly Fate[]): FlowNodeState[] {
  const states: FlowNodeState[] = [];
  for (const [n, node] of nodes.entries()) {
    const edges = (node.needs ?? []).map((need) => (typeof need === 'string' ? { node: need } : need));
    const met = edges.filter(({ node: id, when }) => {
      const m = nodes.findIndex((one) => one.id === id);
      const fine = states[m] === 'succeeded' || (states[m] === 'failed' && nodes[m]!.continue_on_error);
      const came = states[m] === 'succeeded' ? fates[m]!.case : null;
      return fine && (when === undefined || when === came);
    });
    const enough = edges.length === 0 || (node.join === 'any' ? met.length > 0 : met.length === edges.length);
    const begins = (enough || node.if?.always) && (!node.if || fates[n]!.wanted);
    states.push(begins ? (fates[n]!.succeeds ? 'succeeded' : 'failed') : 'skipped');
  }
  return states;
}

/** The same by the coordinator's decisions, with nodes that end in random order. */
function decided(nodes: readonly PlannedNode[], fates: readonly Fate[], random: () => number): NodeRow[] {
  const rows = nodes.map((node) => newRow(node.n, NODE_ITEM, node.needs));
  const ready = nodes.filter(({ needs }) => needs === 0).map(({ n }) => ({ n, skip: false }));
  const counts = { nodes: nodes.length, ended: 0, failed: 0, stopped: 0 };
  while (ready.length > 0) {
    const [{ n, skip }] = ready.splice(Math.floor(random() * ready.length), 1) as [{ n: number; skip: boolean }];
    const [node, row, fate] = [nodes[n]!, rows[n]!, fates[n]!];
    if (row.state !== 'waiting') throw new Error(`${node.id} was decided twice`);
    const skipped = skip || (node.if && !fate.wanted);
    row.state = skipped ? 'skipped' : fate.succeeds ? 'succeeded' : 'failed';
    if (row.state === 'succeeded') row.outcome = fate.case;
    counts.ended += 1;
    for (const edge of node.next) {
      const verdict = resolveDependency(nodes[edge.n]!, rows[edge.n]!, isEdgeMet(node, row, edge));
      if (verdict !== 'wait') ready.push({ n: edge.n, skip: verdict === 'skip' });
    }
  }
  if (!isDecided(counts)) throw new Error(`${counts.nodes - counts.ended} nodes were never decided`);
  return rows;
}

t.test('random plans come to what a plain model says, in whatever order nodes end', async (t) => {
  for (let seed = 1; seed <= 4000; seed++) {
    const random = randomFrom(seed * 7919);
    const { nodes, fates } = generate(random);
    const plan = { language: 'test', nodes };
    if (validatePlan(plan).length > 0) return t.fail(`seed ${seed}: ${JSON.stringify(validatePlan(plan))}`);
    const states = decided(toPlannedNodes(plan), fates, random).map(({ state }) => state);
    const wanted = expected(nodes, fates);
    if (states.join() !== wanted.join()) return t.same(states, wanted, `seed ${seed}`);
  }
  return t.pass('4,000 plans');
});

t.test('what is wrong with a plan is named', async (t) => {
  const faults = (...nodes: FlowNode[]) => validatePlan({ language: 'test', nodes }).map(({ pointer }) => pointer);
  t.same(faults(), ['/nodes']);
  t.same(faults({ id: 'a b', type: 'set' }), ['/nodes/0/id']);
  t.same(faults({ id: 'a', type: 'set' }, { id: 'a', type: 'set' }), ['/nodes/1/id']);
  t.same(faults({ id: 'a', type: 'set', needs: ['b', 'b'] }).length, 3);
  t.same(faults({ id: 'a', type: 'set', needs: ['a'] }), ['/nodes']);
  t.same(
    faults({ id: 'a', type: 'set', retry: { attempts: 0 }, timeout_ms: 0.5, fan_out: { items: [], concurrency: 0 } }),
    ['/nodes/0/retry/attempts', '/nodes/0/timeout_ms', '/nodes/0/fan_out/concurrency'],
  );
});

/** The needs that a config or a condition of a node reads. */
function readsOf(needs: readonly string[], config: Json, condition = ''): string[][] {
  const nodes: FlowNode[] = needs.map((id) => ({ id, type: 'set' }));
  nodes.push({ id: 'last', type: 'set', needs, config, if: { text: condition } });
  const { reads, config_reads } = toPlannedNodes({ language: 'test', nodes }).at(-1)!;
  return [reads, config_reads].map((list) => list.map(([id]) => id));
}

t.test('a node reads the needs that its expressions name', async (t) => {
  const needs = ['a', 'b', 'a-b', 'na', 'other'];
  t.same(readsOf(needs, { text: 'nodes.a.output' }, 'nodes.b.output'), [['b'], ['a']]);
  t.same(readsOf(needs, { deep: [{ text: 'rebuild' }] }, '1-b'), [['b'], []]);
  t.same(readsOf(needs, { text: 'nodes["a-b"].output' })[1], ['a', 'b', 'a-b']);
  t.same(readsOf(needs, { text: 'true &&\na.output' })[1], ['a', 'na'], 'after the escape of a new line');
});

t.test('the time to plan a node does not follow its needs times the size of its config', async (t) => {
  const needs = Array.from({ length: 4900 }, (_, n) => `n${n}`);
  const before = process.cpuUsage();
  t.same(readsOf(needs, { text: `${'n '.repeat(300_000)} n7` })[1], ['n7']);
  t.ok(process.cpuUsage(before).user < 2_000_000, 'well below the time of a search for each need');
});
