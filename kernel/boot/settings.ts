import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Errors, type Role, type Settings } from '../contracts/index.ts';
import { extraPlugins } from './locate.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that holds package.json, both in a clone and in the published package. */
export const packageFolder = resolve(import.meta.dirname, '../..');

export function packageVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function readInteger(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name] || String(fallback);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw Errors.settingInvalid(`${name} is "${text}"; it must be a whole number from ${min} to ${max}`);
  return value;
}

function readAddress(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw Errors.settingInvalid(`${name} is not an http(s) address; write it like https://svc.example.org`);
  return text.replace(/\/+$/, '');
}

/** Reads and validates the configuration of a process. Throws `setting_invalid`, which names the variable. */
export function readSettings(role: Role, env: Environment, overrides: Partial<Settings> = {}): Settings {
  const home = overrides.home ?? resolve('.svc');
  return {
    role,
    env: { ...env },
    database_url: env.SVC_DATABASE_URL || `sqlite:${join(home, 'svc.db')}`,
    host: env.SVC_HOST || '127.0.0.1',
    port: readInteger(env, 'SVC_PORT', 8787, 0, 65535),
    socket_path: undefined,
    public_url: readAddress(env, 'SVC_PUBLIC_URL'),
    lease_ms: readInteger(env, 'SVC_LEASE_MS', 15_000, 200, 3_600_000),
    plugins: extraPlugins(env),
    version: packageVersion(),
    ...overrides,
    home,
  };
}
