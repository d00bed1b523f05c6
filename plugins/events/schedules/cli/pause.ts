import type { Run } from '../../../../cli/contract.ts';
import { clock } from './clock.ts';

export const run: Run = clock(
  'pause',
  ({ name }) => `Paused schedule ${name}; \`svc schedule resume ${name}\` resumes it`,
);
