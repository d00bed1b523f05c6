import { type Run, usesCommand } from '../../../../cli/contract.ts';

export const run: Run = usesCommand('accounts');
