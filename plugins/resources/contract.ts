/** Everything that a plugin needs for a named resource of projects; the parts are in contract/. */
export * from './contract/audited-writes.ts';
export * from './contract/named-resource.ts';
export * from './contract/named-table.ts';
export * from './contract/names.ts';
