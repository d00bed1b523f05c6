export { AdminCommands, Clock, LocalTools } from '../contracts/index.ts';
export { readWings } from './discover.ts';
export { type BootOptions, boot, type Kernel, plan } from './kernel.ts';
export { runProcess } from './run-process.ts';
export { prebuilt } from './prebuilt.ts';
export { type Skip, SkippingClock, type SkipRules } from './services/skipping-clock.ts';
export { readSettings } from './settings.ts';
export type { Candidate } from './validate.ts';
