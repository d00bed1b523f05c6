/** The flags of each kind, as the CLI spells it. The secret one comes last. */
export const KIND_FLAGS: Readonly<Record<string, readonly [...public_fields: string[], secret: string]>> = {
  bearer: ['token'],
  'api-key': ['header', 'value'],
  basic: ['username', 'password'],
  'url-token': ['token'],
};

export const FIELD_FLAGS = ['token', 'header', 'value', 'username', 'password'] as const;

/** Converts a kind to the spelling of manifests and the API. */
export const apiKind = (kind: string): string => kind.replace('-', '_');

/** Converts a kind to the spelling of the CLI. */
export const cliKind = (kind: string): string => kind.replace('_', '-');
