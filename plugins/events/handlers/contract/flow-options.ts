import {
  Errors,
  type Expressions,
  type Fault,
  formatDuration,
  isServiceError,
  parseDuration,
} from '../../../../kernel/contracts/index.ts';
import { findCheapErrors } from '../../../platform/expressions/contract.ts';
import { PREDICATE_ROOTS } from '../../bus/contract.ts';

/** How many runs of a handler may be in flight; with a key, for each of its values. */
export interface Concurrency {
  limit: number;
  key?: string | undefined;
}

/** How many deliveries an option lets through in a period; with a key, for each of its values. */
export interface Rate {
  limit: number;
  /** A duration. */
  period: string;
  key?: string | undefined;
}

/** Starts one run for a burst of events, with the last one. */
export interface Debounce {
  /** How long no event may have come. */
  period: string;
  /** How long after the first event the run starts at the latest. */
  max?: string | undefined;
  key?: string | undefined;
}

/** Starts one run for several events. */
export interface Batch {
  size: number;
  /** How long after the first event the run starts at the latest. */
  timeout: string;
  key?: string | undefined;
}

/** When and how often the events of a handler start runs. */
export interface FlowOptions {
  concurrency?: Concurrency;
  throttle?: Rate;
  rate_limit?: Rate;
  debounce?: Debounce;
  batch?: Batch;
  /** A number of seconds, or CEL over `event` that yields one. */
  priority?: number | string;
}

/** The members of a handler that are options. */
export const FLOW_MEMBERS = [
  'concurrency',
  'throttle',
  'rate_limit',
  'debounce',
  'batch',
  'priority',
] as const satisfies (keyof FlowOptions)[];

/** The members of a handler's body that are such options. */
export type FlowBody = {
  readonly [option in Keyed]?: Partial<NonNullable<FlowOptions[option]>> | undefined;
} & Pick<FlowOptions, 'priority'>;

/** Options whose key decides which deliveries are counted together. */
export const KEYED = ['concurrency', 'throttle', 'rate_limit', 'debounce', 'batch'] as const;
export type Keyed = (typeof KEYED)[number];

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const MAX_PERIOD_MS = 7 * DAY_MS;

const MAX_TIMEOUT_MS = DAY_MS;
/** Parses the options of a handler. Undefined: it has none. Throws `invalid_request` with a pointer for each fault. */
export function parseFlowOptions(
  expressions: Pick<Expressions, 'check'>,
  { concurrency, throttle, rate_limit, debounce, batch, priority }: FlowBody,
): FlowOptions | undefined {
  const errors: Fault[] = [];
  const options: FlowOptions = {};
  if (concurrency) {
    const { limit = 1, key } = concurrency;
    options.concurrency = key === undefined ? { limit } : { limit, key };
  }
  for (const [option, rate] of Object.entries({ throttle, rate_limit }))
    if (rate) options[option as 'throttle' | 'rate_limit'] = parseRate(`/${option}`, rate, errors);
  if (debounce) options.debounce = parseDebounce(debounce, errors);
  if (batch) {
    const { size = 2, timeout = '', key } = batch;
    const text = readPeriod('/batch/timeout', timeout, MAX_TIMEOUT_MS, errors);
    options.batch = { size, timeout: text, ...(key !== undefined && { key }) };
  }
  if (priority !== undefined) {
    options.priority = priority;
    if (typeof priority === 'string') errors.push(...findExpressionErrors(expressions, '/priority', priority));
  }
  errors.push(...findConflicts(options));
  for (const option of KEYED) errors.push(...findExpressionErrors(expressions, `/${option}/key`, options[option]?.key));
  if (errors.length > 0)
    throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; '), {
      errors,
    });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Keys and priorities see the event. */
const findExpressionErrors = (
  expressions: Pick<Expressions, 'check'>,
  pointer: string,
  source: string | undefined,
): Fault[] => findCheapErrors(expressions, source, { pointer, roots: PREDICATE_ROOTS, evaluated_for: 'event' });

function parseRate(pointer: string, { limit = 1, period = '', key }: Partial<Rate>, errors: Fault[]): Rate {
  const text = readPeriod(`${pointer}/period`, period, MAX_PERIOD_MS, errors);
  return { limit, period: text, ...(key !== undefined && { key }) };
}

function parseDebounce({ period = '', max, key }: Partial<Debounce>, errors: Fault[]): Debounce {
  const length = readPeriod('/debounce/period', period, MAX_PERIOD_MS, errors);
  const longest = max === undefined ? undefined : readPeriod('/debounce/max', max, MAX_PERIOD_MS, errors);
  if (longest !== undefined && errors.length === 0 && parseDuration(longest) < parseDuration(length))
    errors.push({ pointer: '/debounce/max', message: `must be at least the period, ${length}` });
  return { period: length, ...(longest !== undefined && { max: longest }), ...(key !== undefined && { key }) };
}

/** Returns options that cannot be combined. */
function findConflicts({ concurrency, throttle, rate_limit, debounce, batch, priority }: FlowOptions): Fault[] {
  const errors: Fault[] = [];
  const conflict = (pointer: string, message: string) => errors.push({ pointer, message });
  if (debounce && batch) conflict('/batch', 'cannot be combined with debounce, which starts a run with a single event');
  if (rate_limit && (debounce || batch))
    conflict(
      '/rate_limit',
      `cannot be combined with ${debounce ? 'debounce' : 'batch'}: it drops events that belong to a run; use throttle`,
    );
  if (!batch) return errors;
  for (const [option, limit] of Object.entries({ concurrency, throttle }))
    if (limit?.key !== undefined && limit.key !== batch.key)
      conflict(
        `/${option}/key`,
        'must be the same as batch.key; otherwise one run could get events with different keys',
      );
  if (typeof priority === 'string')
    conflict(
      '/priority',
      'must be a number, because batch is set: events in the same run can have different priorities',
    );
  return errors;
}

/** Returns a duration in its shortest form. */
function readPeriod(pointer: string, text: string, longest_ms: number, errors: Fault[]): string {
  try {
    const ms = parseDuration(text);
    if (ms >= SECOND_MS && ms <= longest_ms) return formatDuration(ms);
    errors.push({ pointer, message: `must be ${formatDuration(SECOND_MS)} to ${formatDuration(longest_ms)}` });
  } catch (error) {
    if (!isServiceError(error, 'duration_invalid')) throw error;
    errors.push({ pointer, message: error.message });
  }
  return text;
}

/** Returns the faults of options in a document, apart from those of expressions, which are checked when it is published. */
export function validateFlow(body: FlowBody): Fault[] {
  try {
    parseFlowOptions({ check: () => [] }, body);
    return [];
  } catch (error) {
    if (!isServiceError(error, 'invalid_request')) throw error;
    return [...(error.extras.errors ?? [])];
  }
}
