import type { Argument } from '../../../../cli/contract.ts';

export const RUN: Argument = { name: 'run-id', summary: 'the run: run_01J…, the end of its ID, or @last', run: true };
