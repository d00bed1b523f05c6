import type { StoreReference } from '../generated/store-reference.ts';

/** Where a value is, for people: `main:app/db#password`. */
export const formatReference = ({ store, path, field }: StoreReference): string =>
  `${store}:${path}${field === undefined ? '' : `#${field}`}`;
