import { defineError } from '../../../kernel/contracts/index.ts';

export const flowInvalid = defineError({
  code: 'flow_invalid',
  status: 422,
  title: 'The plan of the flow is not valid.',
  next: 'Fix the nodes listed in `errors` and submit the workflow again.',
});

export const expressionFailed = defineError({
  code: 'flow_expression_failed',
  status: 422,
  title: "A node's expression has no value.",
  next: 'Fix the expression shown in `detail`, or check with has() for values that may be absent.',
});

export const nodeUnknown = defineError({
  code: 'flow_node_unknown',
  status: 422,
  title: 'No plugin provides this node type, or the language of its flow.',
  next: 'Load the plugin that provides it and rerun the run, or use a type that `svc plugins` shows.',
});

export const fanOutTooLarge = defineError({
  code: 'flow_fan_out_too_large',
  status: 422,
  title: 'A fan-out has too many items.',
  next: 'Split the list, or process several items in each node.',
});

export const outputTooLarge = defineError({
  code: 'flow_output_too_large',
  status: 422,
  title: 'The output of a node is too large, or an expression reads too much output.',
  next: 'Select the members that are needed, or pass a reference to the data instead of the data.',
});

export const reusedResultMissing = defineError({
  code: 'flow_kept_result_gone',
  status: 422,
  title: 'The original run was removed before the rerun had copied its results.',
  next: 'Submit the workflow again, or rerun a run that still exists.',
});

/** Codes of failed attempts; no request is answered with them. */
export const TIMED_OUT = 'flow_node_timeout';
