import { MEMBER, type Route, SCOPED } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { WORKFLOW_BODY_LIMIT, withWorkflow } from '../../engine/runs/contract.ts';
import schema from './schema/trial-run.schema.json' with { type: 'json' };
import answerSchema from './schema/started-trial.schema.json' with { type: 'json' };
import type { TrialBody, Trials } from './service/trials.ts';

export const trialRoute = (trials: Trials): Route => ({
  method: 'POST',
  path: `${SCOPED}/trials`,
  operation: 'runTrial',
  summary: 'Run a workflow as if an event had started it',
  access: MEMBER,
  body: withWorkflow(schema),
  body_limit: WORKFLOW_BODY_LIMIT,
  responses: { 201: { description: 'The run was accepted, and its event recorded.', schema: answerSchema } },
  async handle(request) {
    const { scope, principal, body } = request;
    const trial_scope = { ...scope, submitted_by: principal?.id, by: auditSource(request) };
    return { status: 201, json: await trials.run(trial_scope, body as TrialBody) };
  },
});
