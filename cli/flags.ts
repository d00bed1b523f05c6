import type { Command, Flag } from './command.ts';

const JSON_FLAG: Flag = { type: 'boolean', summary: 'print data as JSON' };

/** The flags of a command together with those that every command has. */
export const flagsOf = (command: Command): Readonly<Record<string, Flag>> => ({ ...command.flags, json: JSON_FLAG });
