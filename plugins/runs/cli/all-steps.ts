import { everything, type Client } from '../../../cli/contract.ts';
import type { StepView } from './answers.ts';

/** Every durable call of a run, by activity and position. */
export const allSteps = (api: Client, run_id: string): Promise<StepView[]> =>
  everything<StepView>(api, api.scoped(`/runs/${encodeURIComponent(run_id)}/steps`), 'steps');
