import type { PlannedActivity, Problem, WorkflowDocument, WorkflowKind } from '../../runs/contract.ts';
import { chooseInterpreter, splitInterpreter } from '../domain/interpreter.ts';
import { writeSpec } from '../domain/script-spec.ts';
import type { BashSyntax } from './bash-syntax.ts';

const LARGEST_BYTES = 1024 * 1024;
const LONGEST_INTERPRETER = 1024;
/** After every kind that knows its documents by their looks. */
const LAST = 1000;

/** `svc/script/v1`: an ordinary program. It takes whatever no other kind recognises. */
export function scriptWorkflow(bash: BashSyntax): WorkflowKind {
  return {
    kind: 'script',
    type: 'svc/script/v1',
    precedence: LAST,
    recognises: () => true,
    check: (document) => check(document, bash),
    plan: (document) => [plan(document)],
  };
}

function plan({ filename, source, interpreter, requires }: WorkflowDocument): PlannedActivity {
  return { name: 'main', executor: 'script', spec: writeSpec({ filename, source, interpreter }), requires };
}

async function check(document: WorkflowDocument, bash: BashSyntax): Promise<Problem[]> {
  const { filename, source, interpreter } = document;
  const problems = [...sourceProblems(source), ...interpreterProblems(interpreter)];
  if (problems.length > 0) return problems;
  return chooseInterpreter(filename, interpreter).name === 'bash' ? await bash.problems(source) : [];
}

function sourceProblems(source: string): Problem[] {
  if (source.trim() === '') return [{ line: 1, column: 1, message: 'the script is empty', code: 'script_empty' }];
  const size = Buffer.byteLength(source);
  if (size > LARGEST_BYTES) {
    const message = `the script has ${size} bytes, ${size - LARGEST_BYTES} more than the ${LARGEST_BYTES} taken`;
    return [{ line: 1, column: 1, message, code: 'script_too_large' }];
  }
  const nul = source.indexOf('\0');
  if (nul < 0) return [];
  const before = source.slice(0, nul).split('\n');
  const message = 'the script holds a NUL byte; it must be a text';
  return [{ line: before.length, column: before.at(-1)!.length + 1, message, code: 'script_not_text' }];
}

function interpreterProblems(interpreter: string | undefined): Problem[] {
  const problem = (message: string): Problem[] => [{ line: 1, column: 1, message, code: 'interpreter_invalid' }];
  if (interpreter === undefined) return [];
  if (splitInterpreter(interpreter).length === 0)
    return problem('the interpreter is empty; name a program, such as ruby');
  if (interpreter.length > LONGEST_INTERPRETER)
    return problem(`the interpreter has more than ${LONGEST_INTERPRETER} characters`);
  if (/\p{Cc}/u.test(interpreter)) return problem('the interpreter holds a control character');
  return [];
}
