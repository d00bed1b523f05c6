import type { Command, Flag, Flags, FlagValues } from './command.ts';

const JSON_FLAG: Flag = { type: 'boolean', summary: 'print data as JSON' };

/** Where a command goes, for every command that asks a server. A command's own flag of the same name is another thing. */
const PLACE_FLAGS = {
  profile: { type: 'string', summary: 'use this profile (`svc login --profile`) and no SVC_ variable' },
  org: { type: 'string', summary: 'this org instead of the one of the profile' },
  project: { type: 'string', summary: 'this project instead of the one of the profile' },
} as const satisfies Flags;

/** The flags of a command and those that every command has. */
export const flagsOf = (command: Command): Flags => ({
  ...(command.anywhere ? {} : PLACE_FLAGS),
  ...command.flags,
  json: JSON_FLAG,
});

/** What the flags say about the place, in a command that has no other use for them. */
export const placeOf = (command: Command, flags: FlagValues): Partial<Record<keyof typeof PLACE_FLAGS, string>> =>
  Object.fromEntries(
    Object.keys(PLACE_FLAGS)
      .filter((name) => !(name in (command.flags ?? {})) && typeof flags[name] === 'string')
      .map((name) => [name, flags[name]]),
  );
