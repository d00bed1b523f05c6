import { defineError } from '../../../kernel/contracts/index.ts';

export const ConnectorErrors = {
  inputInvalid: defineError({
    code: 'connector_input_invalid',
    status: 422,
    title: "Values for a connector's action are missing or have the wrong type.",
    next: 'Fix the members of `with` and `input` that are listed in `errors`. Nothing was sent. `svc connector show` lists the members, and `svc connector render` shows the request.',
  }),
} as const;
