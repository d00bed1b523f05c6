import { isServiceError, type Scope } from '../../../../kernel/contracts/index.ts';
import type { Flows } from '../../../engine/flows/contract.ts';
import type { Problem, RunEngine, WorkflowDocument, WorkflowKind } from '../../../engine/runs/contract.ts';
import { expandInputs } from '../../../platform/schema/contract.ts';
import type { ScriptOutlines } from '../../../execution/scripts/contract.ts';
import type { PipelineReader, Read } from '../document/read.ts';
import { PipelineErrors } from '../errors.ts';
import { findChild, collectIncludedFiles, findRepoFile, describeWorkflow } from '../domain/child.ts';
import { toFlowPlan } from '../domain/lower.ts';
import { namedCredentials } from '../domain/named-credentials.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import { type CredentialDeps, credentialProblems } from './credential-problems.ts';
import { outlinePipeline } from './outline.ts';
import { type VariableNames, withoutDefinedVariables } from './variable-problems.ts';

export interface KindDeps extends CredentialDeps {
  variables: () => VariableNames;
  flows: () => Flows;
  reader: PipelineReader;
  engine: () => Pick<RunEngine, 'check'>;
  outlines: () => Pick<ScriptOutlines, 'shell'>;
}

/** The workflow kind `svc/pipeline/v1`: jobs in YAML that run as a flow. */
export const pipelineKind = (deps: KindDeps): WorkflowKind => ({
  kind: 'pipeline',
  type: 'svc/pipeline/v1',
  marks: { endings: ['.yml', '.yaml'] },
  takes_credentials: false,
  replays: false,
  async check(scope, submitted) {
    const read = await deps.reader.load(scope, submitted.source);
    const undeclared = 'problems' in read ? read.problems : read.undeclared;
    const found = await withoutDefinedVariables(deps.variables(), scope, undeclared);
    if ('problems' in read) return found;
    const problems = [...found, ...interpreterProblems(submitted), ...planProblems(deps, read.document, submitted)];
    if (problems.length > 0) return problems;
    const children = await childProblems(deps, scope, read);
    return [...children, ...(await credentialProblems(deps, scope, read))];
  },
  async outline(scope, { source }) {
    const read = await deps.reader.load(scope, source);
    if ('document' in read) return outlinePipeline(read.document, source, deps.outlines());
    const [{ line, message } = problemAtStart('it cannot be read', '')] = read.problems;
    return [{ does: 'unknown', line, what: `the pipeline is not valid: ${message}` }];
  },
  async inputSchema(_on, scope, { source }) {
    const { inputs } = readValid(deps, scope, source);
    return inputs === undefined ? undefined : JSON.stringify(expandInputs(inputs));
  },
  async plan(_on, scope, submitted) {
    const document = readValid(deps, scope, submitted.source);
    const { name, tags, cancel_on, subject } = document;
    return {
      activities: [],
      coordination: deps.flows().coordination(toFlowPlan(document, submitted)),
      named: namedCredentials(document),
      files: collectIncludedFiles(document, (text) => {
        const read = deps.reader.read(scope, text);
        return 'document' in read ? read.document : undefined;
      }),
      about: { workflow: name, tags, cancel_on, subject },
    };
  },
});

/** A document that was checked may be invalid for a later version of the service. */
function readValid({ reader }: KindDeps, scope: Scope, source: string): PipelineDocument {
  const read = reader.read(scope, source);
  if ('document' in read) return read.document;
  const [{ line, column, message } = problemAtStart('it cannot be read', '')] = read.problems;
  throw PipelineErrors.pipelineInvalid(`the pipeline is not valid: ${line}:${column} ${message}`);
}

type Valid = Extract<Read, { document: unknown }>;

const problemAtStart = (message: string, code: string): Problem => ({ line: 1, column: 1, message, code });

const interpreterProblems = ({ interpreter }: WorkflowDocument): Problem[] =>
  interpreter === undefined
    ? []
    : [problemAtStart('an interpreter is only for scripts; the steps of a pipeline run with bash', 'pipeline_invalid')];

/** Bounds that only the plan as a whole shows. */
function planProblems({ flows }: KindDeps, document: PipelineDocument, submitted: WorkflowDocument): Problem[] {
  try {
    flows().check(toFlowPlan(document, submitted));
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [problemAtStart(error.message, error.code)];
  }
}

/** Problems of the workflows that jobs run as children. */
async function childProblems(
  { engine }: KindDeps,
  scope: Parameters<WorkflowKind['check']>[0],
  { document, positions }: Valid,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [id, job] of Object.entries(document.jobs)) {
    if (job.workflow === undefined || findRepoFile(job)) continue;
    const child = findChild(document, id, job);
    const name = describeWorkflow(job.workflow);
    const position = positions.get(`jobs/${id}/workflow`)!;
    const report = (message: string, code: string) =>
      problems.push({ ...position, message: `${name}: ${message}`, code });
    if (!child) report('it is not in `files`; `svc` adds the file next to the pipeline', 'pipeline_invalid');
    else
      try {
        const child_problems = await engine().check(scope, child);
        for (const { line, column, message, code } of child_problems) report(`${line}:${column} ${message}`, code);
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        report(error.message, error.code);
      }
  }
  return problems;
}
