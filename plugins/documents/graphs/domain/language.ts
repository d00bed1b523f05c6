import type { ExpressionContext, FlowLanguage } from '../../../engine/flows/contract.ts';
import { inputsOf, type Json } from '../../../engine/runs/contract.ts';
import { ROOTS } from './expression-check.ts';
import { findStartingTriggers } from './triggers.ts';
import { isObject, render } from './values.ts';

export const GRAPH = 'graph';
/** Runs of these triggers get an input; all others get the envelope of what started them. */
const INPUT_TRIGGERS: ReadonlySet<string> = new Set(['manual', 'spawn']);

/** Returns the value of `input`: what a submit or a call passed, or the whole envelope of an event. */
export const readInput = (envelope: ExpressionContext['envelope']): Json =>
  INPUT_TRIGGERS.has(envelope.type) ? (envelope.input ?? null) : envelope;

/** What the run of an item of an `each` gets as its input. */
function readItem(input: Json): { item: Json; index: Json; input: Json } {
  const { item = null, index = -1, input: passed = null } = isObject(input) ? input : {};
  return { item, index, input: passed };
}

const isForItem = (constants: Json): boolean => isObject(constants) && constants.for_item === true;

/** The names that expressions of graphs can use. */
export const graphLanguage: FlowLanguage = {
  name: GRAPH,
  roots: ROOTS,
  scope: ({ run, envelope, constants, values: { vars = {} }, nodes, item = null, index }) => ({
    nodes,
    vars,
    ...(isForItem(constants) ? readItem(readInput(envelope)) : { item, index: -1, input: readInput(envelope) }),
    // A fan-out or a loop within the loop has items of its own.
    ...(index !== undefined && { item, index }),
    inputs: inputsOf(envelope),
    run: {
      id: run.run_id,
      subject: run.subject,
      trigger: run.trigger,
      fired: findStartingTriggers(constants, run.trigger),
    },
  }),
  render,
};
