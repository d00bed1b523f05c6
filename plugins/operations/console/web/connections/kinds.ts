import type { Credential } from '../../../../../cli/generated/api.ts';

export type Kind = Credential['kind'];

interface KindField {
  name: 'token' | 'header' | 'value' | 'username' | 'password';
  label: string;
  /** It is typed unseen. */
  secret: boolean;
}

/** What each kind of credential is made of, as `svc credential set` asks for it. */
export const KINDS: Readonly<Record<Kind, { title: string; fields: readonly KindField[] }>> = {
  bearer: { title: 'Bearer token', fields: [{ name: 'token', label: 'Token', secret: true }] },
  api_key: {
    title: 'Key in a header',
    fields: [
      { name: 'header', label: 'Header', secret: false },
      { name: 'value', label: 'Key', secret: true },
    ],
  },
  basic: {
    title: 'User and password',
    fields: [
      { name: 'username', label: 'User', secret: false },
      { name: 'password', label: 'Password', secret: true },
    ],
  },
  url_token: { title: 'Token in an address', fields: [{ name: 'token', label: 'Token', secret: true }] },
};

export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** The kind that a link or a form names; the first one for anything else. */
export const readKind = (text: unknown): Kind => KIND_NAMES.find((kind) => kind === text) ?? KIND_NAMES[0]!;
