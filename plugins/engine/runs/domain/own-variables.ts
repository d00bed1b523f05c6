import { Errors } from '../../../../kernel/contracts/index.ts';
import { CHECKOUT_VARIABLE, type Json } from '../contract.ts';
import { credentialFaults, envFaults } from './variable-rules.ts';

export interface OwnVariables {
  env: Record<string, string>;
  credentials: Record<string, string>;
}

/** The variables that the spec of an activity sets. Throws `invalid_request`. */
export function ownVariables(spec: Json): OwnVariables {
  const members = spec !== null && typeof spec === 'object' && !Array.isArray(spec) ? spec : {};
  const own = { env: textsOf('env', members.env), credentials: textsOf('credentials', members.credentials) };
  const { [CHECKOUT_VARIABLE]: _checkout, ...given } = own.credentials;
  const errors = [...envFaults(own.env), ...credentialFaults(given)];
  if (errors.length === 0) return own;
  throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), { errors });
}

function textsOf(member: string, value: Json | undefined): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === 'string')
  )
    return value as Record<string, string>;
  const message = 'must map variable names to strings';
  throw Errors.invalidRequest(`${member} ${message}`, { errors: [{ pointer: `/${member}`, message }] });
}
