import { parse } from '@bufbuild/cel';
import type { Figure } from '../figure.ts';
import { measureCheck } from './document-check.ts';

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
    const rounds = bench.size(20, 5);
    const check = await measureCheck(
      {
        kind: 'graph',
        filename: 'g.json',
        source: documentOf,
        parse: parseAll,
        size: NODES,
        parts: 'nodes',
        goal_ms: 50,
        floor: 'JSON.parse and the parser of CEL alone',
      },
      rounds,
    );
    return [check];
  },
};

function parseAll(source: string, round: number): void {
  JSON.parse(source);
  for (let n = 0; n < NODES; n += 1) parse(expression(n, round));
}
