import type { Log } from '../../kernel/contracts/index.ts';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}

/** Prints nothing and keeps every line, those of its children too. */
export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  debug = this.#write('debug');
  info = this.#write('info');
  warn = this.#write('warn');
  error = this.#write('error');

  child(): Log {
    return this;
  }

  /** Messages of these levels, in order. */
  messages(...levels: LogLine['level'][]): string[] {
    return this.lines.filter(({ level }) => levels.includes(level)).map(({ message }) => message);
  }

  #write(level: LogLine['level']) {
    return (fields: Record<string, unknown>, message: string): void => void this.lines.push({ level, fields, message });
  }
}

/** A log that keeps the messages alone, of all levels. */
export function messageLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = (_: Record<string, unknown>, message: string) => void lines.push(message);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  return { log, lines };
}
