import type { ExpressionContext, FlowLanguage } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { ROOTS } from './expression-check.ts';
import { findStartingTriggers } from './triggers.ts';
import { render } from './values.ts';

export const GRAPH = 'graph';
/** Runs of these triggers get an input; all others get the envelope of what started them. */
const INPUT_TRIGGERS: ReadonlySet<string> = new Set(['manual', 'spawn']);

/** Returns the value of `input`: what a submit or a call passed, or the whole envelope of an event. */
export const readInput = (envelope: ExpressionContext['envelope']): Json =>
  INPUT_TRIGGERS.has(envelope.type) ? (envelope.input ?? null) : envelope;

/** The names that expressions of graphs can use. */
export const graphLanguage: FlowLanguage = {
  name: GRAPH,
  roots: ROOTS,
  scope: ({ run, envelope, constants, nodes, item = null, index = -1 }) => ({
    nodes,
    item,
    index,
    input: readInput(envelope),
    run: {
      id: run.run_id,
      subject: run.subject,
      trigger: run.trigger,
      fired: findStartingTriggers(constants, run.trigger),
    },
  }),
  render,
};
