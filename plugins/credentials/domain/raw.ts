import type { CredentialFields, RawSecret } from '../contract.ts';

/** The text that a variable gets. A pair is one text, and each half of it is masked by itself too. */
export function rawOf(fields: CredentialFields): RawSecret {
  if (fields.kind === 'api_key') return { value: fields.value, masks: [] };
  if (fields.kind !== 'basic') return { value: fields.token, masks: [] };
  const { username, password } = fields;
  return { value: `${username}:${password}`, masks: [password, username] };
}
