/** What other plugins may know of the engine; the pieces lie in contract/. */
export * from './contract/activities.ts';
export * from './contract/coordination.ts';
export * from './contract/credentials.ts';
export * from './contract/engine.ts';
export * from './contract/environment.ts';
export * from './contract/extension.ts';
export * from './contract/journal.ts';
export * from './contract/record.ts';
export * from './contract/rerun.ts';
export * from './contract/retention.ts';
export * from './contract/run.ts';
export * from './contract/store.ts';
export * from './contract/workflow.ts';
