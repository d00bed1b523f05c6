import type { Api, Columns } from '../../../../cli/contract.ts';

export type EventHook = Api.Hook;

/** The proof of deliveries: `token`, `manifest forge_a`, `hmac X-Signature`. */
export const formatProof = ({ mode, manifest, hmac }: EventHook): string =>
  [mode, manifest ?? hmac?.header].filter((word) => word !== undefined).join(' ');

export const formatTypes = ({ name, event_type }: EventHook): string => event_type ?? `${name}.<type>`;

/** Address and secret are printed to standard output, so that they can be piped. */
export const COLUMNS: Columns<EventHook> = {
  name: 'name',
  proof: formatProof,
  'event type': formatTypes,
  signature: ({ hmac }) => hmac && `${hmac.prefix}<${hmac.algorithm}, ${hmac.encoding}>`,
  'belongs to': 'owner',
  address: 'ingest_url',
  'old secret until': 'old_secret_until',
  'last used': ({ old_secret_until, last_old_secret_use }) =>
    old_secret_until && (last_old_secret_use ?? 'the old secret has not been used since the rotation'),
  secret: 'secret',
};
