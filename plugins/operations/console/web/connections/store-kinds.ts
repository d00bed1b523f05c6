import type { SecretStore } from '../../../../../cli/generated/api.ts';
import { textsOf } from '../kit/workflow.ts';

export type StoreKind = SecretStore['kind'];

export const STORE_KINDS: Readonly<Record<StoreKind, string>> = {
  vault: 'Vault',
  aws: 'AWS Secrets Manager',
  gcp: 'Google Secret Manager',
};

const DEFINED: Readonly<Record<StoreKind, readonly string[]>> = {
  vault: ['url', 'mount'],
  aws: ['region'],
  gcp: ['project'],
};

const LOGIN: Readonly<Record<StoreKind, readonly string[]>> = {
  vault: ['token'],
  aws: ['access_key_id', 'secret_access_key'],
  gcp: ['service_account'],
};

/** Builds the body of the request from the form. */
export const storeOf = (kind: StoreKind, fields: Record<string, string>): Record<string, unknown> => ({
  kind,
  ...textsOf(fields, DEFINED[kind]),
  login: textsOf(fields, LOGIN[kind]),
});
