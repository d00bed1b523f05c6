import type { FlowFacts, FlowLanguage } from '../../flows/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { ROOTS } from './expression-check.ts';
import { firedBy } from './triggers.ts';
import { render } from './values.ts';

export const GRAPH = 'graph';
/** Runs of these triggers get an input; all others get the envelope of what started them. */
const GIVEN: ReadonlySet<string> = new Set(['manual', 'spawn']);

/** What `input` is: what a submit or a call gave, or the whole envelope of an event. */
export const inputOf = (envelope: FlowFacts['envelope']): Json =>
  GIVEN.has(envelope.type) ? (envelope.input ?? null) : envelope;

/** How the expressions of graphs name values. */
export const graphLanguage: FlowLanguage = {
  name: GRAPH,
  roots: ROOTS,
  scope: ({ run, envelope, constants, nodes, item = null, index = -1 }) => ({
    ...{ nodes, item, index },
    input: inputOf(envelope),
    run: {
      id: run.run_id,
      subject: run.subject,
      trigger: run.trigger,
      fired: firedBy(constants, run.trigger),
    },
  }),
  render,
};
