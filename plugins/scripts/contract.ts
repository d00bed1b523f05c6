/** What verbs of other plugins are made with; the pieces lie in contract/. */
export * from './contract/verb.ts';
export {
  type Arguments,
  checkCommand,
  exactly,
  readArguments,
  readTimeout,
  splitCommand,
} from './contract/arguments.ts';
export * from './contract/checkout.ts';
export * from './contract/file-room.ts';
export * from './contract/given-file.ts';
export * from './contract/policy.ts';
export * from './contract/script-work.ts';
export * from './contract/programs.ts';
export * from './contract/socket.ts';
export * from './contract/step.ts';
export * from './contract/verb.ts';
