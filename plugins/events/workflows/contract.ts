export * from './contract/credential-uses.ts';
export * from './contract/file-references.ts';
export * from './contract/stored-workflows.ts';
export * from './contract/workflow-holders.ts';
