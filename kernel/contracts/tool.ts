import { extensionPoint, type Resolve } from './tokens.ts';

/** The result of a tool. */
export interface ToolAnswer {
  /** For `--json`. */
  json: unknown;
  /** For people. */
  text: string;
  /** When false, the command exits with 1. */
  ok?: boolean;
}

/**
 * Implements a command that needs the code of a plugin, but neither a server nor a database. The kernel registers the plugin
 * and what it requires, and runs no phase.
 */
export interface LocalTool {
  /** kebab-case, unique. */
  name: string;
  /** Throws ServiceError. `args` and `flags` are those of the command; the names of flags are in camel case. */
  run(
    use: Resolve,
    call: {
      args: readonly string[];
      flags: Readonly<Record<string, unknown>>;
      env: Readonly<Record<string, string | undefined>>;
      /** Input that the command has read for the tool. Only the two of them know its shape. */
      input?: unknown;
    },
  ): Promise<ToolAnswer>;
}

export const LocalTools = extensionPoint<LocalTool>('kernel.LocalTools', { key: ({ name }) => name });
