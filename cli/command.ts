import type { Client } from './client/client.ts';
import type { Profile } from './client/profile.ts';
import type { Output } from './output/output.ts';

/** Exit codes of every command; part of the interface. */
export const Exit = { ok: 0, failed: 1, usage: 2, unreachable: 3, notAuthenticated: 4, timedOut: 124 } as const;

export interface Flag {
  type: 'string' | 'boolean' | 'number';
  summary: string;
  /** Placeholder in the help: `<duration>`. */
  value?: string;
  short?: string;
  /** May be given several times; the value is then a list. */
  many?: boolean;
  choices?: readonly string[];
  least?: number;
  most?: number;
}

export interface Argument {
  name: string;
  summary: string;
  optional?: boolean;
  /** Takes all that follows. */
  rest?: boolean;
}

/** One command as data: help, usage errors, completion and the manual are made from it. */
export interface Command {
  /** `run`, `secret set`. */
  name: string;
  summary: string;
  /** Paragraphs of the help below the usage line. */
  about?: string;
  args: readonly Argument[];
  flags: Readonly<Record<string, Flag>>;
  examples: readonly (readonly [command: string, says: string])[];
  load: () => Promise<{ run: Run }>;
}

export type FlagValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Invocation {
  readonly args: readonly string[];
  readonly flags: FlagValues;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  /** The server of the profile; throws a usage error that says how to log in when there is none. */
  client(): Promise<Client>;
  profile(): Promise<Profile>;
}

/** Answers the exit code; 0 when it answers nothing. */
export type Run = (invocation: Invocation) => Promise<number | undefined>;

/** A failure that a person reads: what happened, and what to do next. */
export class CliError extends Error {
  readonly exit: number;
  readonly next: string;
  readonly code: string;
  readonly details: readonly string[];

  constructor(exit: number, code: string, message: string, next: string, details: readonly string[] = []) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.next = next;
    this.details = details;
  }
}

export const usageError = (message: string, next: string) => new CliError(Exit.usage, 'usage', message, next);
