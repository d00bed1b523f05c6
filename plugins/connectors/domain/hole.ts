import type { Expression, Expressions, Fault } from '../../../kernel/contracts/index.ts';
import type { ManifestValue } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import { htmlOf, plainOf } from './markdown-forms.ts';
import { ABSENT, type ActionScope, ROOTS } from './scope.ts';

/** The values that an action declares. */
export interface Declared {
  fields: readonly ManifestValue[];
  inputs: readonly ManifestValue[];
  more_inputs: boolean;
}

type Form = 'value' | 'html' | 'plain' | 'path';

/** What stands between `{{` and `}}`, compiled. */
export interface Hole {
  source: string;
  form: Form;
  /** The value that it names, as steps from the root: `['input', 'text']`. Absent: an expression of another shape. */
  steps?: readonly string[];
  expression: Expression;
}

const CALL = /^(html|plain|path)\s*\(([\s\S]*)\)$/;
const STEPS = /^[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*$/;

type Say = (rule: string, message: string, fix: string) => void;

/** Compiles the text of a hole. Says every fault; undefined when there is one. */
export function compileHole(text: string, declared: Declared, expressions: Expressions, say: Say): Hole | undefined {
  const [, form = 'value', inner = text] = (CALL.exec(text) ?? []) as [unknown?, Form?, string?];
  const source = inner.trim();
  const problems = expressions.check(source, ROOTS);
  for (const { line, column, message } of problems)
    say('hole_invalid', `{{ ${text} }}, line ${line}, column ${column}: ${message}`, fixOf(message));
  if (problems.length > 0) return undefined;
  const expression = expressions.compile(source, ROOTS);
  const undeclared = undeclaredNames(expression, declared);
  for (const { name, known } of undeclared)
    say('name_undeclared', `{{ ${text} }} reads ${name}, which is not declared`, known);
  if (undeclared.length > 0) return undefined;
  const steps = STEPS.test(source) ? source.split('.').map((step) => step.trim()) : undefined;
  if ((form === 'html' || form === 'plain') && !isMarkdown(steps, declared)) {
    say(
      'markdown_only',
      `${form}(…) takes an input that is marked as Markdown`,
      `write ${form}(input.<name>), and "markdown": true at that input`,
    );
    return undefined;
  }
  return { source: text, form, steps, expression };
}

const fixOf = (message: string): string =>
  /^unknown (?:name|function)/.test(message)
    ? 'use with.<field>, input.<input>, node.idempotency_key and the functions of CEL; html(…), plain(…) and path(…) only around a whole hole'
    : 'write an expression of CEL: a name such as input.text, or has(input.x) ? input.x : "none"';

function isMarkdown(steps: readonly string[] | undefined, { inputs }: Declared): boolean {
  const [root, name, ...more] = steps ?? [];
  return root === 'input' && more.length === 0 && inputs.some((one) => one.name === name && one.markdown === true);
}

/** Names that the expression reads although nothing declares them, each with what could have been meant. */
function undeclaredNames(expression: Expression, declared: Declared): { name: string; known: string }[] {
  const lists = {
    with: { names: declared.fields.map(({ name }) => name), open: false, place: '/fields' },
    input: {
      names: declared.inputs.map(({ name }) => name),
      open: declared.more_inputs,
      place: '`inputs` of the action',
    },
    node: { names: ['idempotency_key'], open: false, place: '' },
  };
  const found = ROOTS.flatMap((root) => {
    const { names, open, place } = lists[root];
    const unknown = expression
      .uses(root)
      .filter(({ member }) => !(member === null ? root !== 'node' : open || names.includes(member)));
    return [...new Set(unknown.map(({ member }) => member))].map((member) => ({
      name: member === null ? root : `${root}.${member}`,
      known: fixOfName(
        member,
        names.map((one) => `${root}.${one}`),
        place,
      ),
    }));
  });
  return found;
}

function fixOfName(name: string | null, known: readonly string[], place: string): string {
  const use = known.length > 0 ? `use ${known.join(', ')}` : '';
  if (name === null || place === '') return use;
  return [`add {"name": "${name}", "type": "string"} to ${place}`, use].filter((one) => one !== '').join(', or ');
}

/** The value of a hole, ABSENT, or a fault with a pointer into the config of the node. */
export function readHole(hole: Hole, scope: ActionScope): { value: Json } | typeof ABSENT | { fault: Fault } {
  const { steps, form, source } = hole;
  if (steps && !isThere(steps, scope)) return ABSENT;
  const found = hole.expression.evaluate(scope as never);
  if (!found.ok)
    return { fault: { pointer: pointerOf(hole), message: `does not suit {{ ${source} }}: ${found.reason}` } };
  const value = found.value as Json;
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

/** Where in the config of the node the value of a hole comes from. */
export function pointerOf({ steps, expression }: Hole): string {
  if (steps) return steps.reduce(pointerTo, '');
  const [name] = (['input', 'with'] as const).flatMap((root) =>
    expression.uses(root).map(({ member }) => (member === null ? `/${root}` : pointerTo(`/${root}`, member))),
  );
  return name ?? '/input';
}
