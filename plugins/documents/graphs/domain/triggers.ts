import type { Json, Trigger } from '../../../engine/runs/contract.ts';
import type { CheckedGraph } from './graph.ts';

/** The name of what a trigger node of a published graph registers. */
export const registeredName = (graph: string, node: string): string => `graph.${graph}.${node}`;

/** The owner of what a graph registers. */
export const ownerOf = (graph: string): string => `graph:${graph}`;

export const MANUAL = 'trigger.manual';

/** The triggers of a graph, as its plans carry them. */
interface Triggers {
  /** Node ids by the name that the trigger registers; empty for a graph that is not stored. */
  registered: { [name: string]: string };
  manual: string[];
  all: string[];
}

export function triggersOf({ nodes }: CheckedGraph, name: string | undefined): Triggers {
  const triggers = nodes.filter(({ type }) => type.trigger);
  const all = triggers.map(({ node }) => node.id);
  const manual = triggers.filter(({ type }) => type.type === MANUAL).map(({ node }) => node.id);
  const registered = name === undefined ? [] : all.map((id) => [registeredName(name, id), id] as const);
  return { registered: Object.fromEntries(registered), manual, all };
}

/**
 * Returns the triggers that started a run. What a trigger registered starts that trigger. Everything else, such as a
 * submit, a call or another handler, starts the manual triggers, or all if there are none.
 */
export function findStartingTriggers(constants: Json, trigger: Trigger): string[] {
  const { registered = {}, manual = [], all = [] } = (constants ?? {}) as unknown as Partial<Triggers>;
  const by = trigger.handler ?? (trigger.type === 'schedule.tick' ? trigger.schedule : undefined);
  const registered_node = typeof by === 'string' && Object.hasOwn(registered, by) ? registered[by] : undefined;
  if (registered_node !== undefined) return [registered_node];
  return manual.length > 0 ? manual : all;
}
