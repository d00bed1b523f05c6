import type { CredentialFields, RawSecret } from '../contract.ts';

/** Returns the text for a variable. A username and password become one text, and each half is masked too. */
export function rawOf(fields: CredentialFields): RawSecret {
  if (fields.kind === 'api_key') return { value: fields.value, masks: [] };
  if (fields.kind !== 'basic') return { value: fields.token, masks: [] };
  const { username, password } = fields;
  return { value: `${username}:${password}`, masks: [password, username] };
}
