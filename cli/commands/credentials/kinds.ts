/** Of each kind, as the command line spells it: its flags, the secret one last. */
export const KIND_FLAGS: Readonly<Record<string, readonly [...plain: string[], secret: string]>> = {
  bearer: ['token'],
  'api-key': ['header', 'value'],
  basic: ['username', 'password'],
  'url-token': ['token'],
};

export const FIELD_FLAGS = ['token', 'header', 'value', 'username', 'password'] as const;

/** As manifests and the API spell it. */
export const apiKind = (kind: string): string => kind.replace('-', '_');

/** As the command line spells it. */
export const cliKind = (kind: string): string => kind.replace('_', '-');
