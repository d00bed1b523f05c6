import { extensionPoint, type Resolve } from './tokens.ts';

/** What a tool came to. */
export interface ToolAnswer {
  /** For `--json`. */
  json: unknown;
  /** For people. */
  text: string;
  /** False: the command exits with 1. */
  ok?: boolean;
}

/**
 * The work of a command that needs the code of a plugin and neither server nor database. The kernel is booted with the
 * plugin and what it requires, but no phase runs.
 */
export interface LocalTool {
  /** kebab-case, unique. */
  name: string;
  /** Throws ServiceError. `args` and `flags` are those of the command, with flags in camel case. */
  run(
    use: Resolve,
    given: {
      args: readonly string[];
      flags: Readonly<Record<string, unknown>>;
      env: Readonly<Record<string, string | undefined>>;
      /** What the command has read for it; only its command knows the form. */
      given?: unknown;
    },
  ): Promise<ToolAnswer>;
}

export const LocalTools = extensionPoint<LocalTool>('kernel.LocalTools', { key: ({ name }) => name });
