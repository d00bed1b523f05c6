import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { formatRateText } from '../../../../events/handlers/explain/rate-text.ts';

const forEach = ({ key }: { key?: string | undefined }): string => (key === undefined ? '' : ` for each ${key}`);

/** The options that decide when and how often events start runs, in words. */
export function flowSummary({
  concurrency,
  throttle,
  rate_limit,
  debounce,
  batch,
  priority,
  retry,
}: HandlerView): string[] {
  return [
    concurrency && `${concurrency.limit} at a time${forEach(concurrency)}`,
    throttle && `starts ${formatRateText(throttle.limit, throttle.period)}${forEach(throttle)}`,
    rate_limit && `takes ${formatRateText(rate_limit.limit, rate_limit.period)}${forEach(rate_limit)}`,
    debounce &&
      `one run for a burst, after ${debounce.period}${debounce.max === undefined ? '' : `, at most ${debounce.max}`}${forEach(debounce)}`,
    batch && `one run for ${batch.size} events, or after ${batch.timeout}${forEach(batch)}`,
    priority === undefined ? undefined : `priority ${priority}`,
    retry && `retries failed runs ${retry.limit === 1 ? 'once' : `${retry.limit} times`}, after ${retry.backoff}`,
  ].filter((fact) => fact !== undefined);
}
