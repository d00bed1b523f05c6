/** Exit codes of every command; part of the interface. */
export const Exit = { ok: 0, failed: 1, usage: 2, unreachable: 3, notAuthenticated: 4, timedOut: 124 } as const;

/** A failure for people: what happened, and what to do next. */
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
