import type { Command, Flags, FlagValues } from './command.ts';

/** The flags that control how a command prints its result. */
const OUTPUT_FLAGS = {
  json: { type: 'boolean', summary: 'print data as JSON' },
  jq: { type: 'string', value: '<filter>', summary: 'apply this jq filter to the JSON, and print the result' },
  time: {
    type: 'string',
    choices: ['relative', 'iso'],
    summary: 'how times are shown (default: relative on a terminal, otherwise ISO 8601)',
  },
} as const satisfies Flags;

/** The flags that choose the server and the project. A command's own flag of the same name takes precedence. */
const PROFILE_FLAGS = {
  profile: { type: 'string', summary: 'use this profile (`svc login --profile`) and ignore SVC_ variables' },
  org: { type: 'string', summary: "use this org instead of the profile's" },
  project: { type: 'string', summary: "use this project instead of the profile's" },
} as const satisfies Flags;

/** The flags that every command has. A command's own flag of the same name takes precedence. */
export const commonFlags = (command: Command): Flags =>
  Object.fromEntries(
    Object.entries({ ...(command.anywhere ? {} : PROFILE_FLAGS), ...OUTPUT_FLAGS }).filter(
      ([name]) => !(name in (command.flags ?? {})),
    ),
  );

/** All flags of a command, including those that every command has. */
export const flagsOf = (command: Command): Flags => ({ ...commonFlags(command), ...command.flags });

/** The values of the output flags, except of those that the command defines itself. */
export const outputFlags = (command: Command, flags: FlagValues): FlagValues =>
  Object.fromEntries(
    Object.keys(OUTPUT_FLAGS)
      .filter((name) => !(name in (command.flags ?? {})))
      .map((name) => [name, flags[name]]),
  );

/** The values of the flags that choose a profile, except of those that the command defines itself. */
export const profileFlags = (
  command: Command,
  flags: FlagValues,
): Partial<Record<keyof typeof PROFILE_FLAGS, string>> =>
  Object.fromEntries(
    Object.keys(PROFILE_FLAGS)
      .filter((name) => !(name in (command.flags ?? {})) && typeof flags[name] === 'string')
      .map((name) => [name, flags[name]]),
  );
