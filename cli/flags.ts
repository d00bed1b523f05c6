import type { Command, Flags, FlagValues } from './command.ts';

/** How a command shows what it has to say. */
const OUTPUT_FLAGS = {
  json: { type: 'boolean', summary: 'print data as JSON' },
  jq: { type: 'string', value: '<filter>', summary: 'print what this filter of jq makes of the JSON' },
  time: {
    type: 'string',
    choices: ['relative', 'iso'],
    summary: 'how times are shown (default: relative on a terminal, otherwise ISO 8601)',
  },
} as const satisfies Flags;

/** Where a command goes, for every command that asks a server. A command's own flag of the same name is another thing. */
const PLACE_FLAGS = {
  profile: { type: 'string', summary: 'use this profile (`svc login --profile`) and no SVC_ variable' },
  org: { type: 'string', summary: 'this org instead of the one of the profile' },
  project: { type: 'string', summary: 'this project instead of the one of the profile' },
} as const satisfies Flags;

/** The flags that a command has as every other. A command's own flag of the same name is another thing. */
export const commonFlags = (command: Command): Flags =>
  Object.fromEntries(
    Object.entries({ ...(command.anywhere ? {} : PLACE_FLAGS), ...OUTPUT_FLAGS }).filter(
      ([name]) => !(name in (command.flags ?? {})),
    ),
  );

/** The flags of a command and those that every command has. */
export const flagsOf = (command: Command): Flags => ({ ...commonFlags(command), ...command.flags });

/** What the flags say of the output, in a command that has no other use for them. */
export const outputOf = (command: Command, flags: FlagValues): FlagValues =>
  Object.fromEntries(
    Object.keys(OUTPUT_FLAGS)
      .filter((name) => !(name in (command.flags ?? {})))
      .map((name) => [name, flags[name]]),
  );

/** What the flags say about the place, in a command that has no other use for them. */
export const placeOf = (command: Command, flags: FlagValues): Partial<Record<keyof typeof PLACE_FLAGS, string>> =>
  Object.fromEntries(
    Object.keys(PLACE_FLAGS)
      .filter((name) => !(name in (command.flags ?? {})) && typeof flags[name] === 'string')
      .map((name) => [name, flags[name]]),
  );
