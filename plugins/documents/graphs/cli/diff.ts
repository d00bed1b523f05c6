import { Exit, type Run } from '../../../../cli/contract.ts';
import { compareGraphs, formatChange } from '../explain/compare.ts';
import { anyGraph } from './document.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const [a, b] = [await anyGraph(args[0]!, invocation), await anyGraph(args[1]!, invocation)];
  const changes = compareGraphs(a, b);
  output.data({ same: changes.length === 0, changes }, () => changes.map(formatChange).join('\n'));
  if (changes.length === 0) output.note('the graphs are the same');
  return flags.exitCode && changes.length > 0 ? Exit.failed : undefined;
};
