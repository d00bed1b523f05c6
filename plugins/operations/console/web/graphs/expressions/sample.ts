import type { NodeRecord, RunRecord } from '../../../../../../cli/generated/api.ts';
import type { GraphDocument } from '../document.ts';
import type { Sample } from './names.ts';

/** Runs of these triggers get an input; for all others it is the envelope of what started them. */
const GIVEN: ReadonlySet<string> = new Set(['manual', 'spawn']);

type Envelope = Readonly<Record<string, unknown>>;

/** What the expressions of a run see, from its records. `outputs`: of nodes with items, which have them one by one. */
export function sampleOf(
  run: Pick<RunRecord, 'run_id' | 'subject' | 'trigger'>,
  nodes: readonly NodeRecord[],
  envelope: Envelope | undefined,
  outputs: ReadonlyMap<string, readonly unknown[]> = new Map(),
): Sample {
  const whole = nodes.filter(({ item }) => item === undefined);
  const seen = whole.map((node) => [node.node, seenOf(node, outputs.get(node.node))] as const);
  const fired = whole.filter(({ type, state }) => type.startsWith('trigger.') && state === 'succeeded');
  return {
    ...(envelope && { input: inputOf(envelope) }),
    nodes: Object.fromEntries(seen),
    run: {
      id: run.run_id,
      subject: run.subject ?? null,
      trigger: run.trigger,
      fired: fired.map(({ node }) => node),
    },
  };
}

/** The input of a run, or the envelope of what started it. */
export const inputOf = (envelope: Envelope): unknown =>
  GIVEN.has(String(envelope.type)) ? (envelope.input ?? null) : envelope;

/** In the run of an item of a loop, expressions read the members of the input by their names. */
export function sampleOfItem({ input, ...rest }: Sample): Sample {
  const given = typeof input === 'object' && input !== null ? (input as Envelope) : {};
  return { ...rest, input: given.input ?? null, item: given.item ?? null, index: Number(given.index ?? 0) };
}

const seenOf = ({ state, output, error, case: came }: NodeRecord, items: readonly unknown[] | undefined) => ({
  status: state,
  output: items ?? output ?? null,
  error: error ?? null,
  case: came ?? null,
});

/** Every node from which edges lead to this one: they are over when it begins. */
export function ancestorsOf({ nodes, edges = [] }: Pick<GraphDocument, 'nodes' | 'edges'>, id: string): string[] {
  const before = Map.groupBy(edges, ({ to }) => to);
  const found = new Set<string>();
  const left = [id];
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for (const { from } of before.get(at) ?? [])
      if (!found.has(from)) {
        found.add(from);
        left.push(from);
      }
  return nodes.map((node) => node.id).filter((one) => found.has(one) && one !== id);
}

/** The list of a fan_out or an each: as it stands there, or the expression for it. */
export function itemsIn(config: Readonly<Record<string, unknown>> = {}): unknown[] | string | undefined {
  const { items } = config;
  if (Array.isArray(items)) return items;
  if (typeof items === 'string') return items;
  const text = typeof items === 'object' && items !== null ? (items as { $expr?: unknown }).$expr : undefined;
  return typeof text === 'string' ? text : undefined;
}
