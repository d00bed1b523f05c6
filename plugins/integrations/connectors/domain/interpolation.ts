import type { Expression, Expressions, Fault } from '../../../../kernel/contracts/index.ts';
import type { ManifestValue } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import { htmlOf, plainOf } from './markdown-forms.ts';
import { ABSENT, type ActionScope, ROOTS } from './scope.ts';

/** The values that an action declares. */
export interface Declarations {
  fields: readonly ManifestValue[];
  inputs: readonly ManifestValue[];
  more_inputs: boolean;
}

type Form = 'value' | 'html' | 'plain' | 'path';

/** A compiled expression between `{{` and `}}`. */
export interface Interpolation {
  source: string;
  form: Form;
  /** The value that it names, as steps from the root: `['input', 'text']`. Absent: an expression of another shape. */
  steps?: readonly string[];
  expression: Expression;
}

const CALL = /^(html|plain|path)\s*\(([\s\S]*)\)$/;
const STEPS = /^[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*$/;

type Report = (rule: string, message: string, fix: string) => void;

/** Compiles the text between `{{` and `}}`. Reports every error and returns undefined when there is one. */
export function compileInterpolation(
  text: string,
  declared: Declarations,
  expressions: Expressions,
  report: Report,
): Interpolation | undefined {
  const [, form = 'value', inner = text] = (CALL.exec(text) ?? []) as [unknown?, Form?, string?];
  const source = inner.trim();
  const problems = expressions.check(source, ROOTS);
  for (const { line, column, message } of problems)
    report('hole_invalid', `{{ ${text} }}, line ${line}, column ${column}: ${message}`, suggestFix(message));
  if (problems.length > 0) return undefined;
  const expression = expressions.compile(source, ROOTS);
  const undeclared = findUndeclared(expression, declared);
  for (const { name, known } of undeclared)
    report('name_undeclared', `{{ ${text} }} reads ${name}, which is not declared`, known);
  if (undeclared.length > 0) return undefined;
  const steps = STEPS.test(source) ? source.split('.').map((step) => step.trim()) : undefined;
  if ((form === 'html' || form === 'plain') && !isMarkdown(steps, declared)) {
    report(
      'markdown_only',
      `${form}(…) takes an input that is marked as Markdown`,
      `write ${form}(input.<name>), and "markdown": true at that input`,
    );
    return undefined;
  }
  return { source: text, form, steps, expression };
}

const suggestFix = (message: string): string =>
  /^unknown (?:name|function)/.test(message)
    ? 'use with.<field>, input.<input>, node.idempotency_key and the CEL functions; html(…), plain(…) and path(…) only around a whole expression'
    : 'write a CEL expression: a name such as input.text, or has(input.x) ? input.x : "none"';

function isMarkdown(steps: readonly string[] | undefined, { inputs }: Declarations): boolean {
  const [root, name, ...more] = steps ?? [];
  return root === 'input' && more.length === 0 && inputs.some((one) => one.name === name && one.markdown === true);
}

/** Finds names that the expression reads although nothing declares them, each with a suggestion. */
function findUndeclared(expression: Expression, declared: Declarations): { name: string; known: string }[] {
  const lists = {
    with: { names: declared.fields.map(({ name }) => name), open: false, place: '/fields' },
    input: {
      names: declared.inputs.map(({ name }) => name),
      open: declared.more_inputs,
      place: '`inputs` of the action',
    },
    node: { names: ['idempotency_key'], open: false, place: '' },
  };
  const undeclared = ROOTS.flatMap((root) => {
    const { names, open, place: location } = lists[root];
    const unknown = expression
      .uses(root)
      .filter(({ member }) => !(member === null ? root !== 'node' : open || names.includes(member)));
    return [...new Set(unknown.map(({ member }) => member))].map((member) => ({
      name: member === null ? root : `${root}.${member}`,
      known: suggestNameFix(
        member,
        names.map((one) => `${root}.${one}`),
        location,
      ),
    }));
  });
  return undeclared;
}

function suggestNameFix(name: string | null, names: readonly string[], location: string): string {
  const use = names.length > 0 ? `use ${names.join(', ')}` : '';
  if (name === null || location === '') return use;
  return [`add {"name": "${name}", "type": "string"} to ${location}`, use].filter((one) => one !== '').join(', or ');
}

/** Returns the value of an interpolation, ABSENT, or an error with a pointer into the config of the node. */
export function readInterpolation(
  interpolation: Interpolation,
  scope: ActionScope,
): { value: Json } | typeof ABSENT | { error: Fault } {
  const { steps, form, source } = interpolation;
  if (steps && !isThere(steps, scope)) return ABSENT;
  const undeclared = interpolation.expression.evaluate(scope as never);
  if (!undeclared.ok)
    return {
      error: { pointer: pointerOf(interpolation), message: `does not match {{ ${source} }}: ${undeclared.reason}` },
    };
  const value = undeclared.value as Json;
  if (form === 'html') return { value: htmlOf(String(value)) };
  return { value: form === 'plain' ? plainOf(String(value)) : value };
}

function isThere(steps: readonly string[], scope: ActionScope): boolean {
  let at: unknown = scope;
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}

/** Returns the pointer of the config value that an interpolation reads. */
export function pointerOf({ steps, expression }: Interpolation): string {
  if (steps) return steps.reduce(pointerTo, '');
  const [name] = (['input', 'with'] as const).flatMap((root) =>
    expression.uses(root).map(({ member }) => (member === null ? `/${root}` : pointerTo(`/${root}`, member))),
  );
  return name ?? '/input';
}
