export * from './contract/credential-uses.ts';
export * from './contract/file-holder.ts';
export * from './contract/stored-workflows.ts';
