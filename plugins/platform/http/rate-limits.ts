import { Errors } from '../../../kernel/contracts/index.ts';

/** At most `count` requests in `per_ms`, all at once or spread out. */
export interface Rate {
  count: number;
  per_ms: number;
}

/** The rate limits of one server process. An absent limit does not apply. */
export interface RateLimits {
  /** Requests with one token. */
  token?: Rate;
  /** Requests from one address. */
  address?: Rate;
  /** Failed authentications from one address. */
  failed?: Rate;
  /** Verified deliveries to one hook or webhook. */
  delivery?: Rate;
}

const RATE = /^([1-9]\d{0,8})\/([smh])$/;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Far above normal use by people and CI, far below what would make a server unusable for others. */
const DEFAULTS: Readonly<Record<keyof RateLimits, Rate>> = {
  token: { count: 60_000, per_ms: 60_000 },
  address: { count: 120_000, per_ms: 60_000 },
  failed: { count: 60, per_ms: 60_000 },
  delivery: { count: 12_000, per_ms: 60_000 },
};

const isKind = (text: string): text is keyof RateLimits => Object.hasOwn(DEFAULTS, text);

/**
 * Reads `SVC_RATE_LIMIT`: `off`, or `token=<n>/<s|m|h>,address=…,failed=…,delivery=…`, each of which may be `off`. A
 * limit that is not named keeps its default. Throws `setting_invalid`.
 */
export function readRateLimits(text: string | undefined): RateLimits {
  if (text === 'off') return {};
  const limits: RateLimits = { ...DEFAULTS };
  const named = new Set<string>();
  for (const entry of text === undefined || text === '' ? [] : text.split(',')) {
    const [kind = '', rate = '', ...more] = entry.split('=').map((word) => word.trim());
    if (!isKind(kind) || more.length > 0 || named.has(kind)) throw invalid(text!, entry);
    named.add(kind);
    const [, count, unit] = RATE.exec(rate) ?? [];
    if (rate === 'off') delete limits[kind];
    else if (count === undefined) throw invalid(text!, entry);
    else limits[kind] = { count: Number(count), per_ms: UNITS[unit!]! };
  }
  return limits;
}

function invalid(text: string, entry: string) {
  const form = 'token=60000/m,address=120000/m,failed=60/m,delivery=12000/m (per s, m or h; each may be off), or off';
  return Errors.settingInvalid(`SVC_RATE_LIMIT is "${text}", but "${entry}" is not valid; write ${form}`);
}
