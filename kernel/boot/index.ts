export { AdminCommands } from '../contracts/index.ts';
export { type BootOptions, boot, type Kernel, ownProcess, plan } from './kernel.ts';
export { readSettings } from './settings.ts';
export { tree } from './tree.ts';
