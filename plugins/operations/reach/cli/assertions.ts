import { type Api, usageError } from '../../../../cli/contract.ts';

type Node = Api.Reach['nodes'][number];
type Edge = Api.Reach['edges'][number];

/** Kinds of nodes by the words of assertions. */
const KINDS: Readonly<Record<string, readonly Node['kind'][]>> = {
  secret: ['secret'],
  credential: ['credential'],
  account: ['account'],
  'id-token': ['id-token'],
  connector: ['connector'],
  lock: ['lease'],
  agent: ['agent'],
  workflow: ['handler', 'graph', 'schedule', 'webhook', 'workflow'],
  unknown: ['unknown'],
};
const UNNAMED = new Set(['id-token', 'unknown']);

/** What must not be reached. */
export interface Assertion {
  text: string;
  kinds: readonly Node['kind'][];
  name: string | undefined;
}

/** Throws a usage error that lists the forms. */
export function parseAssertion(text: string): Assertion {
  const [no, word = '', name, ...more] = text.trim().split(/\s+/);
  const kinds = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined;
  if (no === 'no' && kinds && more.length === 0 && (name === undefined || !UNNAMED.has(word)))
    return { text: text.trim(), kinds, name };
  const forms = Object.keys(KINDS).map((one) => `no ${one}${UNNAMED.has(one) ? '' : ' [<name>]'}`);
  throw usageError(`--assert ${JSON.stringify(text)} is not an assertion`, `use one of: ${forms.join(', ')}`);
}

/** The first node that an assertion forbids, and the edges that lead to it from the event. */
export interface Violation {
  assertion: string;
  node: string;
  path: Edge[];
}

/** Returns how the event reaches what the assertions forbid. Nothing is reached through rejected edges. */
export function findViolations(graph: Api.Reach, assertions: readonly Assertion[]): Violation[] {
  const { arrivals, cancellations } = arrivalsOf(graph);
  return assertions.flatMap(({ text, kinds, name }) => {
    const matches = (node: Node) =>
      arrivals.has(node.id) && kinds.includes(node.kind) && (name === undefined || mayBe(node, name));
    const node = graph.nodes.find(matches);
    if (!node) return [];
    const path: Edge[] = [];
    for (let edge = arrivals.get(node.id); edge; ) {
      path.unshift(edge);
      edge = arrivals.has(edge.from) ? arrivals.get(edge.from) : cancellations.get(edge.from);
    }
    return [{ assertion: text, node: node.id, path }];
  });
}

/** Where the part of a name begins that only a run computes. */
const COMPUTED = /…|\$?\{\{/;

/** A graph goes by its name without the version too, a workflow by its file, and a name with a computed part by any that fits. */
function mayBe({ kind, name, file }: Node, forbidden: string): boolean {
  if (kind === 'unknown') return false;
  if ((kind === 'lease' || kind === 'agent') && COMPUTED.test(name))
    return forbidden.startsWith(name.split(COMPUTED)[0]!);
  return [name, kind === 'graph' ? name.split('@')[0] : undefined, file].includes(forbidden);
}

/**
 * The edge by which each node is reached first; undefined for the event. A run that is only cancelled is not reached, but what
 * its end announces is.
 */
function arrivalsOf({ root, edges }: Api.Reach): {
  arrivals: Map<string, Edge | undefined>;
  cancellations: Map<string, Edge>;
} {
  const by_source = Map.groupBy(
    edges.filter(({ rejection }) => rejection === undefined),
    ({ from }) => from,
  );
  const arrivals = new Map<string, Edge | undefined>([[root, undefined]]);
  const cancellations = new Map<string, Edge>();
  const ids = [root];
  const arrive = (edge: Edge): void => {
    if (arrivals.has(edge.to)) return;
    arrivals.set(edge.to, edge);
    ids.push(edge.to);
  };
  for (let at = 0; at < ids.length; at += 1)
    for (const edge of by_source.get(ids[at]!) ?? []) {
      if (edge.relation !== 'cancels') {
        arrive(edge);
        continue;
      }
      if (!cancellations.has(edge.to)) cancellations.set(edge.to, edge);
      for (const end of by_source.get(edge.to) ?? []) if (isEndOfCancelled(end)) arrive(end);
    }
  return { arrivals, cancellations };
}

/** A run that is cancelled does nothing more, but announces it. */
export const isEndOfCancelled = ({ relation, why }: Edge): boolean =>
  relation === 'announces' && why.endsWith(' run.cancelled');
