import { type Api, type FlagValues, usageError } from '../../../../cli/contract.ts';
import { parseRateText } from '../explain/rate-text.ts';

type Options = Pick<Api.HandlerView, 'concurrency' | 'throttle' | 'rate_limit' | 'debounce' | 'batch' | 'priority'> & {
  retry?: { limit: number; backoff?: string; backoff_max?: string } | undefined;
};

const keyOf = (key: unknown): { key?: string } => (key === undefined ? {} : { key: String(key) });

function rateOf(
  flag: string,
  text: unknown,
  key: unknown,
): { limit: number; period: string; key?: string } | undefined {
  if (text === undefined && key === undefined) return undefined;
  if (text === undefined)
    throw usageError(`--${flag}-key needs --${flag}`, `write a number and a period, like --${flag} 10/1m`);
  const rate = parseRateText(String(text));
  if (!rate)
    throw usageError(
      `--${flag} has the value ${JSON.stringify(text)}, which is not a number and a period`,
      `write it like --${flag} 10/1m: at most 10 in each minute`,
    );
  return { limit: rate.count, period: rate.duration, ...keyOf(key) };
}

function debounceOf({ debounce, debounceMax, debounceKey }: FlagValues): Options['debounce'] {
  if (debounce !== undefined)
    return {
      period: String(debounce),
      ...(debounceMax !== undefined && { max: String(debounceMax) }),
      ...keyOf(debounceKey),
    };
  const needing = { 'debounce-max': debounceMax, 'debounce-key': debounceKey };
  const [flag] = Object.entries(needing).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return undefined;
  throw usageError(`--${flag} needs --debounce`, 'set how long no event must arrive, like --debounce 5s');
}

function batchOf({ batch, batchKey }: FlagValues): Options['batch'] {
  if (batch === undefined && batchKey === undefined) return undefined;
  const parsed = parseRateText(String(batch ?? ''));
  if (parsed) return { size: parsed.count, timeout: parsed.duration, ...keyOf(batchKey) };
  throw usageError(
    batch === undefined
      ? '--batch-key needs --batch'
      : `--batch has the value ${JSON.stringify(batch)}, which is not a size and a timeout`,
    'write it like --batch 100/10s: a run for each 100 events, or 10s after the first',
  );
}

/** A number of seconds, or an expression. */
const priorityOf = (text: unknown): Options['priority'] => {
  if (text === undefined) return undefined;
  return /^-?\d+$/.test(String(text)) ? Number(text) : String(text);
};

function retryOf({ retry, backoff, backoffMax }: FlagValues): Options['retry'] {
  if (retry !== undefined)
    return {
      limit: Number(retry),
      ...(backoff !== undefined && { backoff: String(backoff) }),
      ...(backoffMax !== undefined && { backoff_max: String(backoffMax) }),
    };
  if (backoff === undefined && backoffMax === undefined) return undefined;
  throw usageError(
    `--${backoff === undefined ? 'backoff-max' : 'backoff'} needs --retry`,
    'set how often failed runs are run again, like --retry 3',
  );
}

/** Reads the options that decide when and how often events start runs. A concurrency key without a limit is a limit of 1. */
export function flowOptionsOf(flags: FlagValues): Options {
  const { concurrency, concurrencyKey } = flags;
  const options: Options = {
    throttle: rateOf('throttle', flags.throttle, flags.throttleKey),
    rate_limit: rateOf('rate-limit', flags.rateLimit, flags.rateLimitKey),
    debounce: debounceOf(flags),
    batch: batchOf(flags),
    priority: priorityOf(flags.priority),
    retry: retryOf(flags),
  };
  if (concurrency === undefined && concurrencyKey === undefined) return options;
  return { ...options, concurrency: { limit: Number(concurrency ?? 1), ...keyOf(concurrencyKey) } };
}
