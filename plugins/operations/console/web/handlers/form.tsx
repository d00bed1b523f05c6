import type { HandlerView } from '../../../../../cli/generated/api.ts';
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
      hint="event.payload.service == 'shop'. Check optional fields: has(event.payload.sha). Empty: always."
    />
    <WorkflowFields workflow={handler ? { ...handler } : { source: START, filename: 'handler.sh' }} />
  </>
);

/** What the form says, as the API takes it. */
export function handlerOf(fields: Record<string, string>): Record<string, unknown> {
  const when = fields.when?.trim() ?? '';
  return { on: patternsOf(fields.on ?? ''), ...(when !== '' && { when }), ...workflowOf(fields) };
}
