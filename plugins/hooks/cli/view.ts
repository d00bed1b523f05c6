import type { Api, Columns } from '../../../cli/contract.ts';

export type EventHook = Api.Hook;

/** `token`, `manifest forge_a`, `hmac X-Signature`. */
export const proofOf = ({ mode, manifest, hmac }: EventHook): string =>
  [mode, manifest ?? hmac?.header].filter((part) => part !== undefined).join(' ');

export const typesOf = ({ name, event_type }: EventHook): string => event_type ?? `${name}.<type>`;

/** Address and secret are printed to standard output, so that they can be piped. */
export const SHOWN: Columns<EventHook> = {
  name: 'name',
  proof: proofOf,
  'event type': typesOf,
  signature: ({ hmac }) => hmac && `${hmac.prefix}<${hmac.algorithm}, ${hmac.encoding}>`,
  'belongs to': 'owner',
  address: 'ingest_url',
  'old secret until': 'old_secret_until',
  'last used': ({ old_secret_until, last_old_secret_use }) =>
    old_secret_until && (last_old_secret_use ?? 'the old secret was not used since the rotation'),
  secret: 'secret',
};
