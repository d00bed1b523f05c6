import type { Command, Flag, Flags } from './command.ts';

const JSON_FLAG: Flag = { type: 'boolean', summary: 'print data as JSON' };

/** The flags of a command and those that every command has. */
export const flagsOf = (command: Command): Flags => ({ ...command.flags, json: JSON_FLAG });
