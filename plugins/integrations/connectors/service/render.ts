import type { ConnectorAction, ConnectorCall } from '../contract.ts';
import { EXAMPLE_KEY } from '../domain/examples.ts';
import { type RedactedRequest, redactRequest, formatRequest } from '../domain/redacted-request.ts';
import { ConnectorErrors } from '../errors.ts';

export interface RenderOptions extends Pick<ConnectorCall, 'with' | 'input'> {
  key?: string | undefined;
  /** A credential is named although the connector can do without. */
  named: boolean;
}

/** The request that would be sent, with `***` for the credential. Throws `connector_input_invalid`. */
export function render(
  action: ConnectorAction,
  { key = EXAMPLE_KEY, named, ...values }: RenderOptions,
): { request: RedactedRequest; text: string } {
  const lowered = action.lower({ ...values, node: { idempotency_key: key } });
  if ('faults' in lowered) {
    const detail = lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
    throw ConnectorErrors.inputInvalid(`${action.type}: ${detail}`, { errors: lowered.faults });
  }
  const request = redactRequest(action.connector, lowered.request, { named, key });
  return { request, text: formatRequest(request) };
}
