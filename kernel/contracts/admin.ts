import type { Resolve } from './tokens.ts';
import { extensionPoint } from './tokens.ts';

/** A flag of an admin command: `--name` or `--name <value>`. The caller rejects unknown flags. */
export interface AdminFlag {
  /** Without dashes, e.g. `key-file`. */
  name: string;
  type: 'string' | 'boolean';
  summary: string;
  required?: boolean;
}

/**
 * `svc admin <name>`: operator work on the database itself, without a server or a token. The kernel is booted up to init
 * before `run`: the schema is migrated, but nothing has started and nothing listens.
 */
export interface AdminCommand {
  /** kebab-case, unique. */
  name: string;
  summary: string;
  /** One line: `svc admin bootstrap --org <org> --project <project> --user <user>`. */
  usage: string;
  flags: readonly AdminFlag[];
  /** Returns `text` for people and `json` for `--json`. Throws ServiceError. */
  run(use: Resolve, args: Readonly<Record<string, string | boolean>>): Promise<{ json: unknown; text: string }>;
}

export const AdminCommands = extensionPoint<AdminCommand>('kernel.AdminCommands', {
  key: (command) => command.name,
  check: ({ name }) => (/^[a-z][a-z0-9-]*$/.test(name) ? undefined : `command name "${name}" must be kebab-case`),
});
