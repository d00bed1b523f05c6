import { type FlowNodeType, flowConfigInvalid } from '../../../engine/flows/contract.ts';
import { type Json, needsPerson, readTerms } from '../../../engine/runs/contract.ts';
import { describeErrors } from '../../../platform/schema/contract.ts';
import { QUESTION_NODE } from '../domain/job-spec.ts';
import { fillTemplates, toText } from '../domain/templates.ts';

/** The node of a `wait_for_signal` job whose message contains expressions: the question names what the run has made. */
export const questionNode: FlowNodeType = {
  type: QUESTION_NODE,
  begin(_tx, { name, config, evaluate, timeout_ms }) {
    const { form, approvers } = config;
    const message = toText(fillTemplates(config.message, evaluate));
    const { terms, faults } = readTerms({ form, approvers, message });
    if (faults.length > 0) throw flowConfigInvalid(`job ${name}: ${describeErrors(faults)}`);
    const args = needsPerson(terms) ? (terms as Json) : null;
    return { wait: { kind: 'wait-signal', name: String(config.name), args, timeout_ms } };
  },
};
