import type { Run } from '../../../../cli/contract.ts';
import { act } from './act.ts';

export const run: Run = act(
  'poll',
  ({ name }) => `Trigger ${name} polls now; \`svc trigger show ${name}\` prints the result`,
);
