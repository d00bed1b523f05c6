/** What plugins need to define verbs and run programs. */
export * from './contract/verb.ts';
export {
  type Arguments,
  checkCommand,
  requirePositionals,
  readArguments,
  readTimeout,
  readVars,
  splitCommand,
} from './contract/arguments.ts';
export * from './contract/callers.ts';
export * from './contract/checkout.ts';
export * from './contract/disk-view.ts';
export * from './contract/named-file.ts';
export * from './contract/outlines.ts';
export * from './contract/policy.ts';
export * from './contract/script-work.ts';
export * from './contract/programs.ts';
export * from './contract/socket.ts';
export * from './contract/step.ts';
export * from './contract/verb.ts';
