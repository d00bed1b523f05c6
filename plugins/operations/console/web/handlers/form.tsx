import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { formatRateText, parseRateText } from '../../../../events/handlers/explain/rate-text.ts';
import { TextField } from '../kit/dialog-form.tsx';
import { LongField } from '../kit/more-fields.tsx';
import { workflowOf } from '../kit/workflow.ts';
import { WorkflowFields } from '../kit/workflow-fields.tsx';
import { patternsOf } from './patterns.ts';

const START = '#!/bin/sh\n# The event is in the file $SVC_INPUT_FILE.\necho "$CI_TRIGGER_EVENT"\n';

/** All of a handler but its name. */
export const HandlerFields = ({ of: handler }: { of?: HandlerView }) => (
  <>
    <TextField
      name="on"
      label="Event types"
      value={handler?.on.join(', ') ?? ''}
      hint="build.done, run.*, or *. Separate several with commas."
    />
    <LongField
      name="when"
      label="Condition (CEL, optional)"
      value={handler?.when ?? ''}
      rows={2}
      hint="event.payload.service == 'shop'. Check optional fields: has(event.payload.sha). If empty, every event matches."
    />
    <div className="row">
      <TextField
        name="concurrency"
        label="Runs at a time"
        value={handler?.concurrency ? String(handler.concurrency.limit) : ''}
        pattern="[1-9]|1[0-6]"
        wants="1 to 16"
        optional
        hint="If empty, the handler does not have its own limit"
      />
      <TextField
        name="concurrency_key"
        label="For each (CEL)"
        value={handler?.concurrency?.key ?? ''}
        optional
        hint="event.payload.service"
      />
    </div>
    <div className="row">
      <TextField
        name="throttle"
        label="Starts per period"
        value={rateTextOf(handler?.throttle)}
        pattern={RATE}
        wants="a number and a period, like 10/1m"
        optional
        hint="10/1m. Other events wait"
      />
      <TextField
        name="throttle_key"
        label="For each (CEL)"
        value={handler?.throttle?.key ?? ''}
        optional
        hint="event.payload.account"
      />
    </div>
    <div className="row">
      <TextField
        name="rate_limit"
        label="Events per period"
        value={rateTextOf(handler?.rate_limit)}
        pattern={RATE}
        wants="a number and a period, like 1/1h"
        optional
        hint="1/1h. Other events are dropped"
      />
      <TextField
        name="rate_limit_key"
        label="For each (CEL)"
        value={handler?.rate_limit?.key ?? ''}
        optional
        hint="event.payload.user"
      />
    </div>
    <div className="row">
      <TextField
        name="debounce"
        label="Time without events that ends a burst"
        value={handler?.debounce?.period ?? ''}
        optional
        hint="5s. One run, with the last event"
      />
      <TextField
        name="debounce_max"
        label="At most"
        value={handler?.debounce?.max ?? ''}
        optional
        hint="1m after the first event"
      />
      <TextField
        name="debounce_key"
        label="For each (CEL)"
        value={handler?.debounce?.key ?? ''}
        optional
        hint="event.payload.page"
      />
    </div>
    <div className="row">
      <TextField
        name="batch"
        label="Events per run"
        value={handler?.batch ? formatRateText(handler.batch.size, handler.batch.timeout) : ''}
        pattern={RATE}
        wants="a size and a timeout, like 100/10s"
        optional
        hint="100/10s: 100 events, or after 10s"
      />
      <TextField
        name="batch_key"
        label="For each (CEL)"
        value={handler?.batch?.key ?? ''}
        optional
        hint="event.payload.table"
      />
      <TextField
        name="priority"
        label="Priority"
        value={handler?.priority === undefined ? '' : String(handler.priority)}
        optional
        hint="Seconds, or a CEL expression that returns them"
      />
    </div>
    <div className="row">
      <TextField
        name="retry"
        label="Retries of a failed run"
        value={handler?.retry === undefined ? '' : String(handler.retry.limit)}
        pattern="10|[1-9]"
        wants="a number from 1 to 10"
        optional
        hint="3"
      />
      <TextField
        name="backoff"
        label="First delay"
        value={handler?.retry?.backoff ?? ''}
        optional
        hint="10s, doubled with each retry"
      />
      <TextField
        name="backoff_max"
        label="Longest delay"
        value={handler?.retry?.backoff_max ?? ''}
        optional
        hint="1h"
      />
    </div>
    <WorkflowFields workflow={handler ? { ...handler } : { source: START, filename: 'handler.sh' }} />
  </>
);

/** A number and a duration. */
const RATE = '[1-9][0-9]{0,5}/[0-9a-z]+';

type Rate = NonNullable<HandlerView['throttle']>;

const rateTextOf = (rate: Rate | undefined): string => (rate ? formatRateText(rate.limit, rate.period) : '');

/** A rate and its key, as the API takes them. */
function rateOf(fields: Record<string, string>, name: 'throttle' | 'rate_limit'): { [name: string]: Rate } {
  const rate = parseRateText(fields[name] ?? '');
  const key = fields[`${name}_key`]?.trim() ?? '';
  return rate ? { [name]: { limit: rate.count, period: rate.duration, ...(key !== '' && { key }) } } : {};
}

/** How events are merged, and the priority, as the API takes them. */
function mergesOf(fields: Record<string, string>): Pick<HandlerView, 'debounce' | 'batch' | 'priority'> {
  const read = (name: string) => fields[name]?.trim() ?? '';
  const period = read('debounce');
  const max = read('debounce_max');
  const batch = parseRateText(read('batch'));
  const priority = read('priority');
  const keyOf = (name: string) => (read(name) === '' ? {} : { key: read(name) });
  return {
    ...(period !== '' && { debounce: { period, ...(max !== '' && { max }), ...keyOf('debounce_key') } }),
    ...(batch && { batch: { size: batch.count, timeout: batch.duration, ...keyOf('batch_key') } }),
    ...(priority !== '' && { priority: /^-?\d+$/.test(priority) ? Number(priority) : priority }),
  };
}

/** How often failed runs are run again, as the API takes it. */
function retryOf(fields: Record<string, string>): { retry?: Partial<NonNullable<HandlerView['retry']>> } {
  const read = (name: string) => fields[name]?.trim() ?? '';
  const [limit, backoff, backoff_max] = [read('retry'), read('backoff'), read('backoff_max')];
  if (limit === '') return {};
  return {
    retry: { limit: Number(limit), ...(backoff !== '' && { backoff }), ...(backoff_max !== '' && { backoff_max }) },
  };
}

/** What the form says, as the API takes it. */
export function handlerOf(fields: Record<string, string>): Record<string, unknown> {
  const when = fields.when?.trim() ?? '';
  const limit = fields.concurrency?.trim() ?? '';
  const key = fields.concurrency_key?.trim() ?? '';
  const limited = limit !== '' || key !== '';
  const concurrency = { limit: limit === '' ? 1 : Number(limit), ...(key !== '' && { key }) };
  return {
    on: patternsOf(fields.on ?? ''),
    ...(when !== '' && { when }),
    ...(limited && { concurrency }),
    ...rateOf(fields, 'throttle'),
    ...rateOf(fields, 'rate_limit'),
    ...mergesOf(fields),
    ...retryOf(fields),
    ...workflowOf(fields),
  };
}
