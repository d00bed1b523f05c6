import { CliError, Exit, type Run } from '../../../../cli/contract.ts';
import { describeDifference } from './project/compare.ts';
import { label, type Plan, type Step } from './project/plan.ts';
import { noteUnmanaged, open } from './open.ts';

export const run: Run = async (invocation) => {
  const { output } = invocation;
  let plan: Plan;
  try {
    ({ plan } = await open(invocation));
    const [unreadable] = plan.unreadable;
    if (unreadable) throw unreadable.error;
  } catch (error) {
    // 1 says that they differ, so a comparison that fails exits like a wrong call.
    if (!(error instanceof CliError) || error.exit !== Exit.failed) throw error;
    throw new CliError(Exit.usage, error.code, error.message, error.next, error.details);
  }
  const changed = plan.steps.filter(({ action }) => action !== 'keep');
  const view = changed.map(({ kind, name, action, differences }) => ({ kind: kind.folder, name, action, differences }));
  output.data({ same: changed.length === 0, objects: view }, () => changed.flatMap(linesOf).join('\n'));
  noteUnmanaged(plan, invocation);
  if (changed.length === 0) output.note('the project matches its files');
  return changed.length === 0 ? undefined : Exit.failed;
};

const SIGNS = { create: '+', update: '~', remove: '-', keep: ' ' };

const linesOf = (step: Step): string[] => [
  `${SIGNS[step.action]} ${label(step)}`,
  ...step.differences.map((one) => `    ${describeDifference(one)}`),
];
