import type { Problem, WorkflowKind } from '../../../engine/runs/contract.ts';
import { didYouMean, isUndeclaredVariable } from '../document/findings.ts';

/** Reads the names of the variables that runs of a project get, sorted. */
export type VariableNames = (scope: Parameters<WorkflowKind['check']>[0]) => Promise<readonly string[]>;

/** Leaves out the problems of variables that the project or its org has. The others say what to do. */
export async function withoutDefinedVariables(
  readNames: VariableNames,
  scope: Parameters<WorkflowKind['check']>[0],
  problems: readonly Problem[],
): Promise<Problem[]> {
  if (!problems.some(isUndeclaredVariable)) return [...problems];
  const names = await readNames(scope);
  return problems.flatMap((problem) => {
    if (!isUndeclaredVariable(problem)) return [problem];
    const { variable, message, ...rest } = problem;
    if (names.includes(variable)) return [];
    const advice = message.includes('did you mean') ? '' : didYouMean(variable, names) || describeRemedy(variable);
    return [{ ...rest, message: `${message}${advice}` }];
  });
}

const describeRemedy = (name: string): string =>
  `; declare it in the \`vars\` of the pipeline, or set it with \`svc var set ${name}\``;
