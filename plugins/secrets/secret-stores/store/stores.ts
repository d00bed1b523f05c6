import { type NamedRow, NamedTable } from '../../../platform/resources/contract.ts';
import { SECRET_STORE } from '../domain/names.ts';
import type { StoreKind } from '../domain/options.ts';

export interface StoreRow extends NamedRow {
  store_id: string;
  kind: StoreKind;
  set_at: number;
  /** JSON of `StoreOptions`. */
  options: string;
  /** Sealed JSON. */
  login: Buffer;
}

export const stores = new NamedTable<StoreRow, Omit<StoreRow, 'project_id' | 'org_id' | 'login'>>({
  ...SECRET_STORE,
  table: 'secret_stores_stores',
  id: 'store_id',
  replaced: ['kind', 'set_at', 'options', 'login'],
  listed: ['store_id', 'name', 'kind', 'set_at', 'options'],
});
