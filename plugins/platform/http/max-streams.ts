import { Errors } from '../../../kernel/contracts/index.ts';

/** The maximum number of concurrent streams: of one caller, of all callers about one org, and of all callers of this server. */
export interface StreamLimits {
  caller: number;
  org: number;
  server: number;
}

/** A stream that nobody reads holds a few hundred KiB. */
const DEFAULTS: Readonly<StreamLimits> = { caller: 256, org: 1000, server: 2000 };

/** Reads `SVC_MAX_STREAMS`: `caller=<n>,org=<n>,server=<n>`. A limit that is left out keeps its default. Throws `setting_invalid`. */
export function readMaxStreams(text: string | undefined): StreamLimits {
  const limits: StreamLimits = { ...DEFAULTS };
  const named = new Set<string>();
  for (const entry of text === undefined || text === '' ? [] : text.split(',')) {
    const [, kind, count] = /^ *(caller|org|server) *= *([1-9]\d{0,6}) *$/.exec(entry) ?? [];
    if (kind === undefined || named.has(kind)) throw invalid(text!, entry);
    named.add(kind);
    limits[kind as keyof StreamLimits] = Number(count);
  }
  return limits;
}

const invalid = (text: string, entry: string) =>
  Errors.settingInvalid(
    `SVC_MAX_STREAMS is "${text}", but "${entry}" is not valid; write caller=256,org=1000,server=2000, whole numbers from 1 to 9999999`,
  );
