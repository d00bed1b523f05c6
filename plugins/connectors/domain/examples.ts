import type { ConnectorManifest, ManifestExample, ManifestFault } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { ConnectorAction, ConnectorCall } from '../contract.ts';

/** Stands for the key of a node in examples that name none. */
export const EXAMPLE_KEY = 'run_example~node';

/** The values that an example gives to its action. */
export function callOf({ with: fields = {}, input = {}, node = {} }: ManifestExample): ConnectorCall {
  const key = (node as { idempotency_key?: unknown }).idempotency_key;
  return {
    with: fields as ConnectorCall['with'],
    input: input as ConnectorCall['input'],
    node: { idempotency_key: typeof key === 'string' ? key : EXAMPLE_KEY },
  };
}

/** Lowers every example of an action and compares it with what the manifest says, member by member. */
export function exampleFaults(
  { examples = [] }: ConnectorManifest,
  actions: readonly ConnectorAction[],
): ManifestFault[] {
  return examples.flatMap((example, index) => {
    const action = actions.find(({ name }) => name === example.action);
    return action === undefined ? [] : differences(action, example, pointerTo('/examples', index));
  });
}

function differences(action: ConnectorAction, example: ManifestExample, at: string): ManifestFault[] {
  const lowered = action.lower(callOf(example));
  if ('faults' in lowered) {
    if (example.refused !== undefined && lowered.faults.some(({ pointer }) => pointer === example.refused)) return [];
    return lowered.faults.map(({ pointer, message }) => differs(`${at}${pointer}`, message));
  }
  if (example.refused !== undefined) return [differs(`${at}/refused`, 'is not refused: a request comes out')];
  const { requires_credential: _kinds, sign: _sign, ...request } = lowered.request;
  return compared(request as unknown as Json, example.request as Json, `${at}/request`);
}

const differs = (pointer: string, message: string): ManifestFault => ({
  pointer,
  rule: 'example_differs',
  message,
  fix: 'correct the example or the templates: an example shows the whole request, as `svc connector render` prints it',
});

/** Every place at which two values differ. */
function compared(is: Json | undefined, said: Json | undefined, pointer: string): ManifestFault[] {
  if (isObject(is) && isObject(said))
    return [...new Set([...Object.keys(is), ...Object.keys(said)])].flatMap((name) =>
      compared(is[name], said[name], pointerTo(pointer, name)),
    );
  if (Array.isArray(is) && Array.isArray(said) && is.length === said.length)
    return is.flatMap((one, index) => compared(one, said[index], pointerTo(pointer, index)));
  if (JSON.stringify(is) === JSON.stringify(said)) return [];
  return [differs(pointer, `comes to ${shown(is)}, not to ${shown(said)}`)];
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
