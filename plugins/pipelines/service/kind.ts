import { isServiceError, type Scope } from '../../../kernel/contracts/index.ts';
import type { Flows } from '../../flows/contract.ts';
import type { Problem, RunEngine, WorkflowDocument, WorkflowKind } from '../../runs/contract.ts';
import type { PipelineReader, Read } from '../document/read.ts';
import { PipelineErrors } from '../errors.ts';
import { childOf, heldFiles, repoFileOf, shownWorkflow } from '../domain/child.ts';
import { planOf } from '../domain/lower.ts';
import { namedCredentials } from '../domain/named-credentials.ts';
import type { PipelineDocument } from '../generated/pipeline.ts';
import { type CredentialParts, credentialProblems } from './credential-problems.ts';

export interface KindParts extends CredentialParts {
  flows: () => Flows;
  reader: PipelineReader;
  engine: () => Pick<RunEngine, 'check'>;
}

/** `svc/pipeline/v1`: jobs in YAML, carried out as a flow. */
export const pipelineKind = (parts: KindParts): WorkflowKind => ({
  kind: 'pipeline',
  type: 'svc/pipeline/v1',
  marks: { endings: ['.yml', '.yaml'] },
  takes_credentials: false,
  replays: false,
  async check(scope, given) {
    const read = await parts.reader.load(scope.project_id, given.source);
    if ('problems' in read) return read.problems;
    const problems = [...interpreterProblems(given), ...planProblems(parts, read.document, given)];
    if (problems.length > 0) return problems;
    const children = await childProblems(parts, scope, read);
    return [...children, ...(await credentialProblems(parts, scope, read))];
  },
  async plan(_on, scope, given) {
    const document = checked(parts, scope, given.source);
    const { name, tags, cancel_on, subject } = document;
    return {
      activities: [],
      coordination: parts.flows().coordination(planOf(document, given)),
      named: namedCredentials(document),
      files: heldFiles(document, (text) => {
        const read = parts.reader.read(scope.project_id, text);
        return 'document' in read ? read.document : undefined;
      }),
      about: { workflow: name, tags, cancel_on, subject },
    };
  },
});

/** A document that was checked may be invalid for a later version of the service. */
function checked({ reader }: KindParts, { project_id }: Scope, source: string): PipelineDocument {
  const read = reader.read(project_id, source);
  if ('document' in read) return read.document;
  const [{ line, column, message } = at('it cannot be read', '')] = read.problems;
  throw PipelineErrors.pipelineInvalid(`the pipeline is not valid: ${line}:${column} ${message}`);
}

type Valid = Extract<Read, { document: unknown }>;

const at = (message: string, code: string): Problem => ({ line: 1, column: 1, message, code });

const interpreterProblems = ({ interpreter }: WorkflowDocument): Problem[] =>
  interpreter === undefined
    ? []
    : [at('an interpreter is for scripts; the steps of a pipeline run with bash', 'pipeline_invalid')];

/** Bounds that only the plan as a whole shows. */
function planProblems({ flows }: KindParts, document: PipelineDocument, given: WorkflowDocument): Problem[] {
  try {
    flows().check(planOf(document, given));
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [at(error.message, error.code)];
  }
}

/** Problems of the workflows that jobs run as children. */
async function childProblems(
  { engine }: KindParts,
  scope: Parameters<WorkflowKind['check']>[0],
  { document, places }: Valid,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [id, job] of Object.entries(document.jobs)) {
    if (job.workflow === undefined || repoFileOf(job)) continue;
    const child = childOf(document, id, job);
    const name = shownWorkflow(job.workflow);
    const place = places.get(`jobs/${id}/workflow`)!;
    const say = (message: string, code: string) => problems.push({ ...place, message: `${name}: ${message}`, code });
    if (!child) say('it is not in `files`; `svc` adds the file that lies beside the pipeline', 'pipeline_invalid');
    else
      try {
        const found = await engine().check(scope, child);
        for (const { line, column, message, code } of found) say(`${line}:${column} ${message}`, code);
      } catch (error) {
        if (!isServiceError(error) || error.status >= 500) throw error;
        say(error.message, error.code);
      }
  }
  return problems;
}
