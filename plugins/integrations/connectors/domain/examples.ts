import type { ConnectorManifest, ManifestExample, ManifestProblem } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { ConnectorAction, ConnectorCall } from '../contract.ts';

/** The key of the node in examples that name none. */
export const EXAMPLE_KEY = 'run_example~node';

/** Returns the values that an example passes to its action. */
export function toCall({ with: fields = {}, input = {}, node = {} }: ManifestExample): ConnectorCall {
  const key = (node as { idempotency_key?: unknown }).idempotency_key;
  return {
    with: fields as ConnectorCall['with'],
    input: input as ConnectorCall['input'],
    node: { idempotency_key: typeof key === 'string' ? key : EXAMPLE_KEY },
  };
}

/** Lowers every example of an action and compares the request with the manifest, member by member. */
export function validateExamples(
  { examples = [] }: ConnectorManifest,
  actions: readonly ConnectorAction[],
): ManifestProblem[] {
  return examples.flatMap((example, index) => {
    const action = actions.find(({ name }) => name === example.action);
    return action === undefined ? [] : compareExample(action, example, pointerTo('/examples', index));
  });
}

function compareExample(action: ConnectorAction, example: ManifestExample, at: string): ManifestProblem[] {
  const lowered = action.lower(toCall(example));
  if ('faults' in lowered) {
    if (example.refused !== undefined && lowered.faults.some(({ pointer }) => pointer === example.refused)) return [];
    return lowered.faults.map(({ pointer, message }) => toDifference(`${at}${pointer}`, message));
  }
  if (example.refused !== undefined) return [toDifference(`${at}/refused`, 'is accepted, but should be rejected')];
  const { requires_credential: _kinds, sign: _sign, ...request } = lowered.request;
  return compareValues(request as unknown as Json, example.request as Json, `${at}/request`);
}

const toDifference = (pointer: string, message: string): ManifestProblem => ({
  pointer,
  rule: 'example_differs',
  message,
  fix: 'correct the example or the templates: an example shows the whole request, as `svc connector render` prints it',
});

/** Every place at which two values differ. */
function compareValues(actual: Json | undefined, expected: Json | undefined, pointer: string): ManifestProblem[] {
  if (isObject(actual) && isObject(expected))
    return [...new Set([...Object.keys(actual), ...Object.keys(expected)])].flatMap((name) =>
      compareValues(actual[name], expected[name], pointerTo(pointer, name)),
    );
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length)
    return actual.flatMap((one, index) => compareValues(one, expected[index], pointerTo(pointer, index)));
  if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
  return [toDifference(pointer, `is ${formatValue(actual)}, not ${formatValue(expected)}`)];
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const formatValue = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
