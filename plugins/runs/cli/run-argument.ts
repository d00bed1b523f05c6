import type { Argument } from '../../../cli/contract.ts';

export const RUN: Argument = { name: 'run-id', summary: 'the run, e.g. run_01J…' };
