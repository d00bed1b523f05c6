export { AdminCommands, Clock, LocalTools } from '../contracts/index.ts';
export { type BootOptions, boot, type Kernel, plan } from './kernel.ts';
export { ownProcess } from './own-process.ts';
export { type Skip, SkippingClock, type SkipRules } from './services/skipping-clock.ts';
export { readSettings } from './settings.ts';
export type { Candidate } from './validate.ts';
