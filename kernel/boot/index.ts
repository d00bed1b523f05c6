export { AdminCommands, Clock, LocalTools } from '../contracts/index.ts';
export { type BootOptions, boot, type Kernel, plan } from './kernel.ts';
export { ownProcess } from './own-process.ts';
export { readSettings } from './settings.ts';
export type { Candidate } from './validate.ts';
