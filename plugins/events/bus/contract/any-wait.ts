import { type Expressions, type Fault, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import {
  type AnyBranch,
  type AnyWaitArgs,
  anyWaitName,
  type ArmWait,
  type Json,
  MAX_BRANCHES,
  validateSignalName,
  validateWaitName,
} from '../../../engine/runs/contract.ts';
import { validateEventType } from './event-type.ts';
import { readPredicate } from './wait-values.ts';

/**
 * One of the things of which a document waits for the first, as its author wrote it: `{signal}`, `{event, when?, untrusted?}`,
 * `{ask}` or `{timeout}`.
 */
type Choice = { readonly [member: string]: Json };

function validateTimeout(text: string): string | undefined {
  try {
    return parseDuration(text) > 0 ? undefined : 'must be more than 0';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.message;
  }
}

const KINDS = {
  signal: validateSignalName,
  event: validateEventType,
  ask: validateWaitName,
  timeout: validateTimeout,
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];
const MEMBERS: readonly string[] = [...KIND_NAMES, 'when', 'untrusted'];

const isChoice = (value: Json): value is Choice => value !== null && typeof value === 'object' && !Array.isArray(value);

const kindOf = (choice: Choice): Kind | undefined => KIND_NAMES.find((kind) => choice[kind] !== undefined);

/**
 * Finds what is wrong with the list of a document, with pointers relative to the list. `isOpen` says which values are expressions
 * that are not evaluated yet.
 */
export function validateAnyWait(list: Json, isOpen: (value: Json) => boolean = () => false): Fault[] {
  if (isOpen(list)) return [];
  if (!Array.isArray(list)) return [{ pointer: '', message: 'must be a list' }];
  const kinds = list.map((one) => (isChoice(one) ? kindOf(one) : undefined));
  const waits = kinds.filter((kind) => kind !== 'timeout').length;
  const names = list.map((one, i) => (isChoice(one) && kinds[i] ? `${kinds[i]}:${String(one[kinds[i]])}` : ''));
  const errors = list.flatMap((one, i) => {
    if (isOpen(one)) return [];
    const kind = kinds[i];
    const twice = kind === 'timeout' ? kinds.indexOf(kind) < i : kind !== undefined && names.indexOf(names[i]!) < i;
    const repeated = { pointer: `/${kind}`, message: kind === 'timeout' ? 'is a second timeout' : 'is there twice' };
    return [...validateChoice(one, isOpen), ...(twice ? [repeated] : [])].map(({ pointer, message }) => ({
      pointer: `/${i}${pointer}`,
      message,
    }));
  });
  if (waits === 0) errors.push({ pointer: '', message: 'has nothing to wait for: add a signal, an event or an ask' });
  if (waits > MAX_BRANCHES)
    errors.push({ pointer: '', message: `has ${waits} signals, events and asks; at most ${MAX_BRANCHES} are allowed` });
  return errors;
}

function validateChoice(choice: Json, isOpen: (value: Json) => boolean): Fault[] {
  const [kind, another] = isChoice(choice) ? KIND_NAMES.filter((one) => choice[one] !== undefined) : [];
  if (!isChoice(choice) || kind === undefined || another !== undefined)
    return [{ pointer: '', message: 'must have exactly one of `signal`, `event`, `ask` and `timeout`' }];
  const errors: Fault[] = [];
  const value = choice[kind]!;
  const problem = isOpen(value) ? undefined : typeof value === 'string' ? KINDS[kind](value) : 'must be a string';
  if (problem !== undefined) errors.push({ pointer: `/${kind}`, message: problem });
  for (const member of Object.keys(choice)) {
    const pointer = `/${member}`;
    if (!MEMBERS.includes(member)) errors.push({ pointer, message: 'is not a known member' });
    else if (member !== kind && kind !== 'event') errors.push({ pointer, message: 'is only for an event' });
  }
  const { untrusted = false } = choice;
  if (typeof untrusted !== 'boolean' && !isOpen(untrusted))
    errors.push({ pointer: '/untrusted', message: 'must be true or false' });
  return errors;
}

/**
 * The wait for a checked list. What its predicates read of the scope is read now. Without a timeout in the list, the end of
 * the node's own time is a failure. Throws `expression_invalid`, `wait_value_missing` and `wait_values_too_large`.
 */
export function toAnyWait(
  expressions: Expressions,
  list: Json,
  scope: Readonly<Record<string, unknown>>,
): Pick<ArmWait, 'kind' | 'name' | 'args' | 'timeout_ms'> {
  const choices = list as readonly Choice[];
  const timeout = choices.find((one) => one.timeout !== undefined)?.timeout;
  const branches = choices.flatMap((one): AnyBranch[] => {
    const kind = kindOf(one)!;
    if (kind === 'timeout') return [];
    const name = String(one[kind]);
    if (kind !== 'event') return [{ kind, name }];
    const predicate = typeof one.when === 'string' ? readPredicate(expressions, one.when, scope) : {};
    return [
      {
        kind,
        name,
        ...(predicate as Pick<AnyBranch, 'when' | 'values'>),
        ...(one.untrusted === true && { untrusted: true }),
      },
    ];
  });
  const args: AnyWaitArgs = { branches, ...(timeout === undefined && { fails: true as const }) };
  return {
    kind: 'wait-any',
    name: anyWaitName(branches.map(({ kind, name }) => `${kind}:${name}`)),
    args: args as unknown as Json,
    ...(typeof timeout === 'string' && { timeout_ms: parseDuration(timeout) }),
  };
}
