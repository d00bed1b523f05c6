import { type Expressions, isServiceError, type Scope } from '../../../kernel/contracts/index.ts';
import { PREDICATE_ROOTS } from '../../bus/contract.ts';
import {
  type DocumentCheck,
  type Problem,
  REFERENCE_FORMS,
  type RunEngine,
  withWorkflow,
  type Workflow,
} from '../../runs/contract.ts';
import { faultsBy, insideText, placeOf, readJsonText } from '../../schema/contract.ts';
import { patternFaults } from '../contract.ts';
import put from '../schema/put-handler.schema.json' with { type: 'json' };

export interface CheckParts {
  expressions: Expressions;
  engine: () => Pick<RunEngine, 'check'>;
}

const MEMBERS = ['on', 'when', ...REFERENCE_FORMS];

/** A handler as its registration takes it: patterns, predicate, and what runs. */
export const handlerCheck = (parts: CheckParts): DocumentCheck => ({
  kind: 'handler',
  recognises: (document) => document.version === undefined && MEMBERS.some((member) => member in document),
  check: (scope, source) => problemsOf(parts, scope, source),
});

const shapeFaults = faultsBy(withWorkflow(put));

async function problemsOf(parts: CheckParts, scope: Scope, text: string): Promise<Problem[]> {
  const read = readJsonText(text);
  if ('fault' in read) return [{ ...read.fault, code: 'json_invalid' }];
  const at = (pointer: string, message: string, code = 'handler_invalid'): Problem => ({
    ...placeOf(text, pointer),
    message: `${pointer} ${message}`.trimStart(),
    code,
  });
  const shape = shapeFaults(read.value).map(({ pointer, message }) => at(pointer, message));
  if (typeof read.value !== 'object' || read.value === null) return shape;
  const { on, when, ...workflow } = read.value as { [name: string]: unknown };
  const patterns = isTexts(on) ? patternFaults(on).map(({ pointer, message }) => at(pointer, message)) : [];
  const predicate = typeof when === 'string' ? predicateProblems(parts, text, when) : [];
  // What is of the wrong form cannot be asked further.
  const inner = shape.length > 0 ? [] : await workflowProblems(parts, scope, workflow as Workflow, at);
  return [
    ...new Map([...shape, ...patterns, ...predicate, ...inner].map((one) => [JSON.stringify(one), one])).values(),
  ];
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const predicateProblems = ({ expressions }: CheckParts, text: string, when: string): Problem[] =>
  expressions.check(when, PREDICATE_ROOTS).map(({ line, column, message }) => ({
    ...insideText(text, '/when', { line, column }),
    message: `/when ${message}`,
    code: 'expression_invalid',
  }));

/** Problems of what runs have places of their own, in the document within the text. */
async function workflowProblems(
  { engine }: CheckParts,
  scope: Scope,
  workflow: Workflow,
  at: (pointer: string, message: string, code: string) => Problem,
): Promise<Problem[]> {
  const form = REFERENCE_FORMS.find((one) => workflow[one] !== undefined);
  const pointer = form === undefined ? '' : `/${form}`;
  try {
    const problems = await engine().check(scope, workflow);
    return problems.map(({ line, column, message, code }) =>
      message.startsWith('/') || form !== 'source'
        ? at(/^\/\S*/.exec(message)?.[0] ?? pointer, message.replace(/^\/\S* /, ''), code)
        : at(pointer, `${line}:${column} ${message}`, code),
    );
  } catch (error) {
    if (!isServiceError(error) || error.status >= 500) throw error;
    return [at(pointer, error.message, error.code)];
  }
}
