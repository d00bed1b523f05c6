import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Errors, type Role, type Settings } from '../contracts/index.ts';
import { extraPlugins } from './locate.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The package folder, with package.json, in a clone and in the published package. */
export const packageFolder = resolve(import.meta.dirname, '../..');

export function packageVersion(): string {
  const text = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function wholeNumber(env: Environment, name: string, fallback: number, least: number, most: number): number {
  const text = env[name] || String(fallback);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw Errors.settingInvalid(`${name} is "${text}"; it must be a whole number from ${least} to ${most}`);
  return value;
}

function address(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw Errors.settingInvalid(`${name} is not an http(s) address; write it like https://svc.example.org`);
  return text.replace(/\/+$/, '');
}

/** Reads and checks the configuration of a process. Throws `setting_invalid` and names the variable. */
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
    plugins: extraPlugins(env),
    version: packageVersion(),
    ...given,
    home,
  };
}
