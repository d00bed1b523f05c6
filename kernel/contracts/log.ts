import { token } from './tokens.ts';

/** A structured log. Never pass a secret, a body or a header to it: ids and counts are enough. */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
  child(fields: Record<string, unknown>): Log;
}

export const Log = token<Log>('kernel.Log');
