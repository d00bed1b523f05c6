import type { Run } from '../../../../cli/contract.ts';
import { act } from './act.ts';

export const run: Run = act('pause', ({ name }) => `Paused trigger ${name}; \`svc trigger resume ${name}\` resumes it`);
