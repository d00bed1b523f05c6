import {
  type Expression,
  type Expressions,
  isServiceError,
  parseDuration,
} from '../../../../kernel/contracts/index.ts';
import { isReserved, validateEventKey, validateEventType } from '../../../events/bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { ConnectorManifest, ManifestProblem, ManifestTrigger } from '../../manifests/contract.ts';
import type { NodeAnswer } from '../../requests/contract.ts';
import type { ConnectorTrigger, TriggerItem, TriggerReading } from '../contract.ts';
import { isGreater } from '../contract/cursor-order.ts';
import { compileAction } from './action.ts';

const RESPONSE = ['status', 'headers', 'body'] as const;
const ITEM = ['item'] as const;

const EVERY_MS = 5 * 60_000;
const LEAST_MS = 60_000;
const TIMEOUT_MS = 30_000;
/** Characters of an ID. Longer ones are rather contents than IDs. */
const MAX_ID = 512;

/** Compiles a trigger: its request as that of an action, and the expressions that read its items. */
export function compileTrigger(
  connector: ConnectorManifest,
  name: string,
  expressions: Expressions,
): { trigger: ConnectorTrigger } | { problems: readonly ManifestProblem[] } {
  const described = connector.triggers![name]!;
  const at = pointerTo('/triggers', name);
  const compiled = compileRequest(connector, name, expressions);
  const problems: ManifestProblem[] = 'problems' in compiled ? [...compiled.problems] : [];
  const compile = (pointer: string, source: string, roots: readonly string[]): Expression | undefined => {
    try {
      return expressions.compile(source, roots);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const fix = `write CEL over ${roots.join(', ')}`;
      problems.push({ pointer: `${at}${pointer}`, rule: 'trigger_expression', message: error.message, fix });
      return undefined;
    }
  };
  const { items, id, cursor, event } = described;
  const read = {
    items: items === undefined ? undefined : compile('/items', items, RESPONSE),
    id: compile('/id', id, ITEM),
    cursor: cursor && compile('/cursor/value', cursor.value, cursor.of === 'items' ? ITEM : RESPONSE),
    key: event.key === undefined ? undefined : compile('/event/key', event.key, ITEM),
    payload: event.payload === undefined ? undefined : compile('/event/payload', event.payload, ITEM),
  };
  const wrong = validateEventType(event.type) ?? (isReserved(event.type) ? 'is reserved for svc' : undefined);
  if (wrong !== undefined)
    problems.push({
      pointer: `${at}/event/type`,
      rule: 'event_type',
      message: wrong,
      fix: 'write one such as order.created',
    });
  if (!('action' in compiled) || problems.length > 0) return { problems };
  return {
    trigger: {
      name,
      connector,
      described,
      every_ms: parseDuration(described.every?.default ?? `${Math.max(EVERY_MS, leastOf(described))}ms`),
      least_ms: leastOf(described),
      timeout_ms: described.timeout === undefined ? TIMEOUT_MS : parseDuration(described.timeout),
      lower: ({ with: fields, input, cursor: value }) =>
        compiled.action.lower({
          with: fields,
          input: value === undefined ? input : { ...input, cursor: value },
          node: { idempotency_key: '' },
        }),
      read: (answer) => readAnswer(described, read as Required<typeof read>, answer),
    },
  };
}

const leastOf = ({ every }: ManifestTrigger): number =>
  every?.least === undefined ? LEAST_MS : parseDuration(every.least);

/** The request of a trigger is that of an action with one more input, `cursor`. */
function compileRequest(connector: ConnectorManifest, name: string, expressions: Expressions) {
  const { request, inputs = [], failed_when, paginate } = connector.triggers![name]!;
  const action = {
    request,
    inputs: [...inputs, { name: 'cursor', type: 'any' as const }],
    ...(failed_when ? { failed_when } : {}),
    ...(paginate ? { paginate } : {}),
  };
  const compiled = compileAction({ ...connector, actions: { [name]: action } }, name, expressions);
  if ('action' in compiled) return compiled;
  return {
    problems: compiled.problems.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/actions\//, '/triggers/') })),
  };
}

type Reading = Record<'items' | 'id' | 'cursor' | 'key' | 'payload', Expression | undefined>;

/** Reads the items of an answer in order, or says why the answer cannot be used. */
function readAnswer(described: ManifestTrigger, expressions: Reading, answer: NodeAnswer): TriggerReading {
  const { status, headers, body, last_body = body } = answer;
  const list = expressions.items
    ? expressions.items.evaluate({ status, headers, body })
    : { ok: true as const, value: body };
  if (!list.ok) return { problem: `items: ${list.reason}` };
  if (!Array.isArray(list.value)) return { problem: 'items is not a list' };
  const items: TriggerItem[] = [];
  let cursor: Json | undefined;
  for (const [index, item] of (list.value as Json[]).entries()) {
    const read = readItem(expressions, item);
    if ('problem' in read) return { problem: `item ${index}: ${read.problem}` };
    items.push({ ...read, type: described.event.type });
    if (described.cursor?.of !== 'items') continue;
    const value = expressions.cursor!.evaluate({ item });
    if (!value.ok) return { problem: `item ${index}: cursor: ${value.reason}` };
    const next = toScalar(value.value);
    if (next === undefined) return { problem: `item ${index}: cursor is neither a text nor a number` };
    if (cursor === undefined || isGreater(next, cursor)) cursor = next;
  }
  if (described.cursor?.of === 'response') {
    const value = expressions.cursor!.evaluate({ status, headers, body: last_body });
    if (!value.ok) return { problem: `cursor: ${value.reason}` };
    const next = toScalar(value.value);
    if (next === undefined) return { problem: 'cursor is neither a text nor a number' };
    cursor = next;
  }
  return { items, cursor };
}

function readItem(expressions: Reading, item: Json): Omit<TriggerItem, 'type'> | { problem: string } {
  const value = (name: 'id' | 'key' | 'payload') => expressions[name]!.evaluate({ item });
  const id = value('id');
  if (!id.ok) return { problem: `id: ${id.reason}` };
  const scalar = toScalar(id.value);
  if (scalar === undefined || scalar === '') return { problem: 'id is neither a text nor a number' };
  if (String(scalar).length > MAX_ID) return { problem: `id has more than ${MAX_ID} characters` };
  const key = expressions.key ? value('key') : { ok: true as const, value: null };
  if (!key.ok) return { problem: `event.key: ${key.reason}` };
  const key_text = key.value === null ? null : toScalar(key.value);
  const wrong =
    key_text === null ? undefined : key_text === undefined ? 'must be a text' : validateEventKey(String(key_text));
  if (wrong !== undefined) return { problem: `event.key ${wrong}` };
  const payload = expressions.payload ? value('payload') : { ok: true as const, value: item };
  if (!payload.ok) return { problem: `event.payload: ${payload.reason}` };
  return { id: String(scalar), key: key_text === null ? null : String(key_text), payload: payload.value as Json };
}

/** A text or a number. Whole numbers of expressions may be of another type than those of JSON. */
function toScalar(value: unknown): string | number | undefined {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
