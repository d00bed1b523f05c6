import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestExample, ManifestProblem } from '../../manifests/contract.ts';
import { evaluateFailedWhen, type NodeRequest, readPage } from '../../requests/contract.ts';
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

/** The request as an example shows it: without what the action and the connector say once for all requests. */
export function toExampleRequest({
  requires_credential: _kinds,
  sign: _sign,
  failed_when: _failure,
  paginate: _pages,
  ...request
}: NodeRequest): { [name: string]: unknown } {
  return { ...request };
}

/**
 * Lowers every example of an action and compares the request with the manifest, member by member. Reads its response as
 * `failed_when` and `paginate` do.
 */
export function validateExamples(
  { examples = [] }: ConnectorManifest,
  actions: readonly ConnectorAction[],
  expressions: Expressions,
): ManifestProblem[] {
  return examples.flatMap((example, index) => {
    const action = actions.find(({ name }) => name === example.action);
    if (action === undefined) return [];
    const at = pointerTo('/examples', index);
    return [...compareExample(action, example, at), ...compareResponse(action, example, { at, expressions })];
  });
}

function compareExample(action: ConnectorAction, example: ManifestExample, at: string): ManifestProblem[] {
  const lowered = action.lower(toCall(example));
  if ('faults' in lowered) {
    if (example.refused !== undefined && lowered.faults.some(({ pointer }) => pointer === example.refused)) return [];
    return lowered.faults.map(({ pointer, message }) => toDifference(`${at}${pointer}`, message));
  }
  if (example.refused !== undefined) return [toDifference(`${at}/refused`, 'is accepted, but should be rejected')];
  const request = toExampleRequest(lowered.request);
  return compareValues(request as Json, example.request as Json, `${at}/request`);
}

function compareResponse(
  { described: { failed_when, paginate } }: ConnectorAction,
  { response, failed }: ManifestExample,
  { at, expressions }: { at: string; expressions: Expressions },
): ManifestProblem[] {
  const answer = response && toAnswer(response);
  const failure = failed_when && answer && evaluateFailedWhen(failed_when, answer, expressions);
  if (failed !== undefined && !failure)
    return [toDifference(`${at}/failed`, 'is what no response of this example says: failed_when does not apply')];
  if (failure && failed === undefined)
    return [
      toDifference(`${at}/response`, `is a failure by failed_when${failure.reason ? `: ${failure.reason}` : ''}`),
    ];
  if (failure) return compareValues(failure.message ?? '', failed, `${at}/failed`);
  if (paginate === undefined || answer === undefined || answer.status > 299) return [];
  const page = readPage(paginate, answer, expressions);
  return 'problem' in page ? [toDifference(`${at}/response`, page.problem)] : [];
}

function toAnswer(response: NonNullable<ManifestExample['response']>) {
  const { status = 200, headers = {}, body = null } = response as { status?: number; headers?: object; body?: Json };
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { status, headers: Object.fromEntries(lower) as { [name: string]: string }, body };
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
