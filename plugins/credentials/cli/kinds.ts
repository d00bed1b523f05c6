/** The flags of each kind in the CLI's spelling, the secret one last. */
export const KIND_FLAGS: Readonly<Record<string, readonly [...plain: string[], secret: string]>> = {
  bearer: ['token'],
  'api-key': ['header', 'value'],
  basic: ['username', 'password'],
  'url-token': ['token'],
};

export const FIELD_FLAGS = ['token', 'header', 'value', 'username', 'password'] as const;

/** The spelling of manifests and the API. */
export const apiKind = (kind: string): string => kind.replace('-', '_');

/** The spelling of the CLI. */
export const cliKind = (kind: string): string => kind.replace('_', '-');
