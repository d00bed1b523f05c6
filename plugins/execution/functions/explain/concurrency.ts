import type { FunctionDetails } from '../../../../cli/generated/api.ts';

type GroupedConcurrency = Exclude<FunctionDetails['concurrency'], number | undefined>;

/** `1 run at a time, 10 start in 1m, for each input.customer; 20 per worker`. */
export function describeConcurrency(concurrency: FunctionDetails['concurrency']): string {
  if (concurrency === undefined) return '';
  const options: GroupedConcurrency = typeof concurrency === 'number' ? { per_worker: concurrency } : concurrency;
  const { per_worker, ...grouped } = options;
  const group = Object.values(grouped).some((option) => option !== undefined) ? [describeGroup(grouped)] : [];
  return [...group, ...(per_worker === undefined ? [] : [`${per_worker} per worker`])].join('; ');
}

function describeGroup({
  key,
  group,
  throttle,
  limit = throttle ? undefined : 1,
}: Omit<GroupedConcurrency, 'per_worker'>): string {
  return [
    ...(limit === undefined ? [] : [`${limit} ${limit === 1 ? 'run' : 'runs'} at a time`]),
    ...(throttle ? [`${throttle.limit} start in ${throttle.period}`] : []),
    ...(key === undefined ? [] : [`for each ${key}`]),
    ...(group === undefined ? [] : [`in the group ${group}`]),
  ].join(', ');
}
