import { type Run, usesOf } from '../../../cli/contract.ts';

export const run: Run = usesOf('accounts');
