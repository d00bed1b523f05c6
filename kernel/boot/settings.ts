import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Role, Settings } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { readRateLimits } from './rate-limits.ts';
import { readRetention } from './retention.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package lies: the folder with package.json, in a clone as in a published package. */
export const packageFolder = resolve(import.meta.dirname, '../..');

export function packageVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function wholeNumber(env: Environment, name: string, fallback: number, least: number, most: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw BootErrors.settingInvalid(`${name} is "${text}"; it takes a whole number from ${least} to ${most}`);
  return value;
}

function address(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw BootErrors.settingInvalid(`${name} is no http(s) address; write it like https://svc.example.org`);
  return text.replace(/\/+$/, '');
}

/** Reads and checks everything that configures a process. Throws `setting_invalid` naming the variable. */
export function readSettings(role: Role, env: Environment, given: Partial<Settings> = {}): Settings {
  const home = given.home ?? resolve('.svc');
  return {
    role,
    env: { ...env },
    database_url: env.SVC_DATABASE_URL || `sqlite:${join(home, 'svc.db')}`,
    host: env.SVC_HOST || '127.0.0.1',
    port: wholeNumber(env, 'SVC_PORT', 8787, 0, 65535),
    socket_path: undefined,
    public_url: address(env, 'SVC_PUBLIC_URL'),
    lease_ms: wholeNumber(env, 'SVC_LEASE_MS', 15_000, 200, 3_600_000),
    rate_limits: readRateLimits(env.SVC_RATE_LIMIT),
    retention: readRetention(env.SVC_RETENTION),
    plugins: (env.SVC_PLUGINS ?? '').split(/[:,]/).filter((name) => name !== ''),
    version: packageVersion(),
    ...given,
    home,
  };
}
