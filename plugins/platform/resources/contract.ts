/** Everything that a plugin needs to define a named resource of projects. */
export * from './contract/attention.ts';
export * from './contract/audited-writes.ts';
export * from './contract/named-resource.ts';
export * from './contract/named-table.ts';
export * from './contract/names.ts';
export * from './contract/ownership.ts';
export { SharedAnswers } from './contract/shared-answers.ts';
