import { Errors, parseDuration, type Settings } from '../../../../kernel/contracts/index.ts';
import type { RunLimits } from '../contract.ts';
import { readOpenRunLimits } from './open-run-limits.ts';

const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const SIZE = /^([1-9]\d{0,11})(B|KiB|MiB|GiB|TiB)$/;
const COUNT = /^[1-9]\d{0,8}$/;

/** 4 PiB: sums of so much stay exact. */
const MAX_BYTES = 2 ** 52;

/** What a word of a setting bounds, and the text that stands for its default. */
type Bounds<Word extends string> = Readonly<Record<Word, { unit: 'bytes' | 'count'; preset: string }>>;

const bytes = (preset: string) => ({ unit: 'bytes' as const, preset });
const count = (preset: string) => ({ unit: 'count' as const, preset });

const RUN = {
  ...{ log: bytes('64MiB'), artifacts: bytes('20GiB'), calls: bytes('256MiB') },
  ...{ spawns: count('1000'), slots: count('off') },
};
const UNTRUSTED_RUN = {
  ...{ log: bytes('4MiB'), artifacts: bytes('256MiB'), spawns: count('20') },
  ...{ calls: bytes('64MiB'), children: count('100'), slots: count('4') },
};
const PROJECT = { log: bytes('256GiB'), artifacts: bytes('1TiB'), cache: bytes('10GiB'), slots: count('off') };
const UNTRUSTED_PROJECT = {
  ...{ log: bytes('16GiB'), artifacts: bytes('64GiB'), cache: bytes('1GiB'), calls: bytes('16GiB') },
  ...{ runs: count('100'), handlers: count('50'), slots: count('32') },
};
const UNTRUSTED_TIMEOUT = '1h';
const JOB_TIMEOUT = '6h';

/** `svc run` keeps nothing: what it shows is on its way to a terminal. */
const LOCAL = { SVC_RUN_LIMITS: 'log=off,artifacts=off,calls=off', SVC_PROJECT_LIMITS: 'log=off,artifacts=off' };

/**
 * Reads `SVC_RUN_LIMITS`, `SVC_UNTRUSTED_RUN_LIMITS`, `SVC_PROJECT_LIMITS`, `SVC_UNTRUSTED_PROJECT_LIMITS`,
 * `SVC_MAX_CALLED_RUNS`, `SVC_UNTRUSTED_TIMEOUT` and `SVC_JOB_TIMEOUT`. A bound that is not named keeps its default. Throws `setting_invalid`.
 */
export function readRunLimits({ env: given, role }: Pick<Settings, 'env' | 'role'>): RunLimits {
  const env = role === 'local' ? { ...LOCAL, ...given } : given;
  const read = <Word extends string>(name: string, bounds: Bounds<Word>) => readBounds(name, env[name], bounds);
  return {
    run: { trusted: read('SVC_RUN_LIMITS', RUN), untrusted: read('SVC_UNTRUSTED_RUN_LIMITS', UNTRUSTED_RUN) },
    project: {
      trusted: read('SVC_PROJECT_LIMITS', PROJECT),
      untrusted: read('SVC_UNTRUSTED_PROJECT_LIMITS', UNTRUSTED_PROJECT),
    },
    called_runs: readOpenRunLimits(env).called,
    untrusted_timeout_ms: readTimeout('SVC_UNTRUSTED_TIMEOUT', env.SVC_UNTRUSTED_TIMEOUT, UNTRUSTED_TIMEOUT),
    job_timeout_ms: readTimeout('SVC_JOB_TIMEOUT', env.SVC_JOB_TIMEOUT, JOB_TIMEOUT),
  };
}

function readBounds<Word extends string>(
  name: string,
  given: string | undefined,
  bounds: Bounds<Word>,
): Record<Word, number> {
  const words = Object.keys(bounds) as Word[];
  const texts = new Map<string, string>();
  for (const part of (given ?? '').split(',').filter((text) => text.trim() !== '')) {
    const [word = '', text = '', ...more] = part.split('=').map((piece) => piece.trim());
    if (!Object.hasOwn(bounds, word) || more.length > 0 || texts.has(word)) throw invalid(name, part, bounds);
    texts.set(word, text);
  }
  const values = words.map((word) => {
    const { unit, preset } = bounds[word];
    const value = readBound(texts.get(word) ?? preset, unit);
    if (value === undefined) throw invalid(name, `${word}=${texts.get(word)}`, bounds);
    return [word, value] as const;
  });
  return Object.fromEntries(values) as Record<Word, number>;
}

/** Infinity for `off`, undefined for what is no bound. */
function readBound(text: string, unit: 'bytes' | 'count'): number | undefined {
  if (text === 'off') return Infinity;
  if (unit === 'count') return COUNT.test(text) ? Number(text) : undefined;
  const [, digits, size] = SIZE.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits) * UNITS[size!]!;
  return value <= MAX_BYTES ? value : undefined;
}

function invalid<Word extends string>(name: string, part: string, bounds: Bounds<Word>) {
  const form = (Object.keys(bounds) as Word[]).map((word) => `${word}=${bounds[word].preset}`).join(',');
  return Errors.settingInvalid(
    `${name} has "${part.trim()}"; write it like ${form}, where sizes have B, KiB, MiB, GiB or TiB, at most 4096TiB, and each limit can be off`,
  );
}

/** A duration of a setting; undefined for `off`. Throws `setting_invalid`. */
function readTimeout(name: string, given: string | undefined, preset: string): number | undefined {
  const text = given?.trim() || preset;
  if (text === 'off') return undefined;
  let timeout_ms: number;
  try {
    timeout_ms = parseDuration(text);
  } catch (error) {
    throw Errors.settingInvalid(`${name}: ${(error as Error).message}; or off`, { cause: error });
  }
  if (timeout_ms > 0) return timeout_ms;
  throw Errors.settingInvalid(`${name} is "${text}"; it must be longer than 0s, or off`);
}
