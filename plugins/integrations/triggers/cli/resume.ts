import type { Run } from '../../../../cli/contract.ts';
import { act } from './act.ts';

export const run: Run = act('resume', ({ name }) => `Resumed trigger ${name}`);
