import type { JsonSchema, Scope } from '../../../../kernel/contracts/index.ts';
import {
  type PlannedActivity,
  type Problem,
  type Reading,
  type WorkflowDocument,
  workflowInvalid,
  type WorkflowKind,
} from '../../../engine/runs/contract.ts';
import { findScriptInputs, readInputs } from '../../../platform/schema/contract.ts';
import { originalSource, workFileName } from '../domain/bundled.ts';
import { chooseInterpreter, splitInterpreter } from '../domain/interpreter.ts';
import {
  type CheckoutRequirements,
  planCheckout,
  type RepositorySource,
  SCRIPT_EXECUTOR,
  type ScriptOutlines,
  scriptSpec,
} from '../contract.ts';
import type { BashSyntax } from '../lint/bash-syntax.ts';
import { SDK_NAME } from '../executor/sdk-folder.ts';
import type { ScriptReview } from '../lint/review.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_INTERPRETER_LENGTH = 1024;
export interface ScriptWorkflowDeps {
  bash: BashSyntax;
  review: Pick<ScriptReview, 'review'>;
  outlines: () => Pick<ScriptOutlines, 'script'>;
  repositories?: () => readonly RepositorySource[];
}

/** `svc/script/v1`: an ordinary program. It accepts every document that no other kind recognises. */
export function scriptWorkflow({ bash, review, outlines, repositories = () => [] }: ScriptWorkflowDeps): WorkflowKind {
  return {
    kind: 'script',
    type: 'svc/script/v1',
    marks: { anything: true },
    takes_credentials: true,
    takes_arguments: true,
    takes_files: true,
    takes_checkout: true,
    replays: true,
    executor: SCRIPT_EXECUTOR,
    check: (_scope, document) => check(document, bash),
    async inputSchema(_on, _scope, { source }) {
      const read = readScriptInputs(source);
      if (read === undefined) return undefined;
      if ('schema' in read) return JSON.stringify(read.schema);
      const { line, column, message } = read.problem;
      throw workflowInvalid(`the script has a problem: ${line}:${column} ${message}`, {
        data: { problems: [read.problem] },
      });
    },
    review: (_scope, { filename, source, interpreter }) =>
      review.review({ filename, source, interpreter: chooseInterpreter(filename, interpreter) }),
    outline: async (_scope, document) => [
      ...(document.checkout === undefined || document.checkout === false ? [] : [{ does: 'checkout' as const }]),
      ...(await outlines().script(document)),
    ],
    plan: async (on, scope, document) => ({
      activities: [plan(document, await planScriptCheckout(repositories(), on, scope, document))],
    }),
  };
}

function plan(
  { filename, source, interpreter, args, files, requires }: WorkflowDocument,
  begins: CheckoutRequirements | undefined,
): PlannedActivity {
  const work = { filename, source, interpreter, args, files };
  if (begins === undefined) return { name: 'main', executor: SCRIPT_EXECUTOR, spec: scriptSpec(work), requires };
  const { checkout, credentials } = begins;
  const spec = { ...scriptSpec({ ...work, checkout }), credentials };
  return { name: 'main', executor: SCRIPT_EXECUTOR, spec, requires: [...new Set([...requires, ...begins.requires])] };
}

/** Only scripts that name a repository get a checkout: one of an earlier version begins in the folder of the agent. */
async function planScriptCheckout(
  sources: readonly RepositorySource[],
  on: Reading,
  { org_id, project_id }: Scope,
  { checkout, start }: WorkflowDocument,
): Promise<CheckoutRequirements | undefined> {
  if (checkout === undefined || start === undefined) return undefined;
  return planCheckout(sources, on, { org_id, project_id, ...start }, checkout);
}

async function check(document: WorkflowDocument, bash: BashSyntax): Promise<Problem[]> {
  const { filename, source, interpreter } = document;
  const problems = [
    ...sourceProblems(source),
    ...interpreterProblems(interpreter),
    ...fileProblems(document),
    ...inputProblems(source),
  ];
  if (problems.length > 0) return problems;
  return chooseInterpreter(filename, interpreter).name === 'bash' ? await bash.problems(source) : [];
}

function sourceProblems(source: string): Problem[] {
  if (source.trim() === '') return [{ line: 1, column: 1, message: 'the script is empty', code: 'script_empty' }];
  const size = Buffer.byteLength(source);
  if (size > MAX_BYTES) {
    const message = `the script is ${size} bytes long, ${size - MAX_BYTES} more than the ${MAX_BYTES} allowed`;
    return [{ line: 1, column: 1, message, code: 'script_too_large' }];
  }
  const nul = source.indexOf('\0');
  if (nul < 0) return [];
  const before = source.slice(0, nul).split('\n');
  const message = 'the script contains a NUL byte; it must be text';
  return [{ line: before.length, column: before.at(-1)!.length + 1, message, code: 'script_not_text' }];
}

/** Reports files whose names are reserved in the folder of a script. */
function fileProblems({ filename, source, files = [] }: WorkflowDocument): Problem[] {
  const own = workFileName({ filename, source });
  return files.flatMap(({ path }): Problem[] => {
    const [first] = path.split('/');
    const reserved = first === own ? 'the script itself' : first === SDK_NAME ? 'the SDK for Python' : undefined;
    if (reserved === undefined) return [];
    const message = `${path} cannot be included: that path is reserved for ${reserved}`;
    return [{ line: 1, column: 1, message, code: 'include_outside' }];
  });
}

/** The schema of the inputs that a script declares, or why nothing can be checked with its declaration. */
function readScriptInputs(source: string): { schema: JsonSchema } | { problem: Problem } | undefined {
  const found = findScriptInputs(originalSource(source));
  if (found === undefined) return undefined;
  const { line, column } = found;
  const read = 'declared' in found ? readInputs(found.declared) : found;
  if ('schema' in read) return read;
  return { problem: { line, column, message: `svc:inputs ${read.problem}`, code: 'inputs_invalid' } };
}

function inputProblems(source: string): Problem[] {
  const read = readScriptInputs(source);
  return read && 'problem' in read ? [read.problem] : [];
}

function interpreterProblems(interpreter: string | undefined): Problem[] {
  const problem = (message: string): Problem[] => [{ line: 1, column: 1, message, code: 'interpreter_invalid' }];
  if (interpreter === undefined) return [];
  if (splitInterpreter(interpreter).length === 0)
    return problem('the interpreter is empty; use a program such as ruby');
  if (interpreter.length > MAX_INTERPRETER_LENGTH)
    return problem(`the interpreter has more than ${MAX_INTERPRETER_LENGTH} characters`);
  if (/\p{Cc}/u.test(interpreter)) return problem('the interpreter contains a control character');
  return [];
}
