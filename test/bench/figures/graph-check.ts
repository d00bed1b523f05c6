import { parse } from '@bufbuild/cel';
import { boot } from '../../kit/index.ts';
import { type WorkflowKind, WorkflowKinds } from '../../../plugins/engine/runs/contract.ts';
import { cpuMsOf } from '../cpu.ts';
import { atMostValue, type Figure, mustBe } from '../figure.ts';
import { median } from '../statistics.ts';

const NODES = 500;

/** Most read a value; each fifth computes one. None occurs twice in any round. */
function expression(n: number, round: number): string {
  if (n === 0) return `input.items.size() + ${round}`;
  const value = `nodes.n${n - 1}.output.value${round}`;
  return n % 5 === 0 ? `${value} + ${n} > input.limit ? 'large' : 'small'` : value;
}

/** A chain in which each node reads the one before it. */
function documentOf(round: number): string {
  const nodes = Array.from({ length: NODES }, (_, n) => ({
    id: `n${n}`,
    type: n % 5 === 4 ? 'shell' : 'set',
    config:
      n % 5 === 4
        ? { script: 'make', env: { VALUE: { $expr: expression(n, round) } } }
        : { values: { value: { $expr: expression(n, round) } } },
    retry: { attempts: 3, backoff: '5s' },
  }));
  const edges = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
  return JSON.stringify({ version: 'svc-graph/v1', nodes, edges });
}

export const graphCheck: Figure = {
  name: 'graph-check',
  summary: `the check of a graph of ${NODES} nodes, each with an expression of its own`,
  async measure(bench) {
    const server = await boot({ idle: true });
    try {
      const kind = server.use.all(WorkflowKinds).find((one) => one.kind === 'graph')!;
      const rounds = bench.size(20, 5);
      const [ours, floor]: number[][] = [[], []];
      for (let round = -3; round < rounds; round += 1) {
        const source = documentOf(round + 3);
        const parsed = await cpuMsOf(() => parseAll(source, round + 3));
        const checked = await cpuMsOf(async () => void mustBe('faults', await faultsOf(kind, source), 0));
        // The first rounds are for the compiler of the engine.
        if (round < 0) continue;
        floor!.push(parsed);
        ours!.push(checked);
      }
      return [
        {
          figure: `check of a graph of ${NODES} nodes`,
          unit: 'ms of CPU',
          ours: median(ours!),
          floor: { value: median(floor!), is: 'JSON.parse and the parser of CEL alone' },
          goal: atMostValue(50),
          done: NODES * rounds,
        },
      ];
    } finally {
      await server.close();
    }
  },
};

function parseAll(source: string, round: number): void {
  JSON.parse(source);
  for (let n = 0; n < NODES; n += 1) parse(expression(n, round));
}

const faultsOf = async (kind: WorkflowKind, source: string): Promise<number> => {
  const scope = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
  const document = { filename: 'g.json', source, interpreter: undefined, env: {}, requires: [] };
  return (await kind.check(scope, document)).length;
};
