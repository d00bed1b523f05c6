import { Errors } from '../../kernel/contracts/index.ts';

/** Answers at once that are streams: of one caller, and of all. */
export interface StreamLimits {
  caller: number;
  server: number;
}

/** An unread one holds a few hundred KiB. */
const DEFAULTS: Readonly<StreamLimits> = { caller: 256, server: 2000 };

/** Reads `SVC_MAX_STREAMS`: `caller=<n>,server=<n>`; one that is not named keeps its default. Throws `setting_invalid`. */
export function readMaxStreams(text: string | undefined): StreamLimits {
  const limits: StreamLimits = { ...DEFAULTS };
  const named = new Set<string>();
  for (const part of text === undefined || text === '' ? [] : text.split(',')) {
    const [, kind, count] = /^ *(caller|server) *= *([1-9]\d{0,6}) *$/.exec(part) ?? [];
    if (kind === undefined || named.has(kind)) throw invalid(text!, part);
    named.add(kind);
    limits[kind as keyof StreamLimits] = Number(count);
  }
  return limits;
}

const invalid = (text: string, part: string) =>
  Errors.settingInvalid(
    `SVC_MAX_STREAMS is "${text}", but "${part}" is not valid; write caller=256,server=2000, whole numbers from 1 to 9999999`,
  );
