import type { Client } from './client.ts';
import { allPages } from './pages.ts';
import type { StepView } from './types.ts';

/** Every durable call of a run, by activity and position. */
export const allSteps = (api: Client, run_id: string): Promise<StepView[]> =>
  allPages<StepView>(api, api.scoped(`/runs/${encodeURIComponent(run_id)}/steps`), 'steps');
