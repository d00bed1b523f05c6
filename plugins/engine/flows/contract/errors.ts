import { defineError } from '../../../../kernel/contracts/index.ts';

/** A type of node throws it when its rendered config is not what it needs. The attempt is not repeated. */
export const flowConfigInvalid = defineError({
  code: 'flow_config_invalid',
  status: 422,
  title: "A node's config does not match its type.",
  next: 'Fix the member shown in `detail`. An expression may have produced a value of an unexpected type.',
});
