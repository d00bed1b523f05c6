import { readFileSync } from 'node:fs';
import { compileAtUse, readJson } from '../../schema/contract.ts';
import type { ProviderSettings } from '../generated/provider-settings.ts';
import schema from '../schema/provider-settings.schema.json' with { type: 'json' };
import { authorizeUrlFault, redirectFault, urlFault } from './urls.ts';

export const PROVIDERS = 'SVC_CONNECTED_ACCOUNT_PROVIDERS';
export const REDIRECT_URI = 'SVC_CONNECTED_ACCOUNTS_REDIRECT_URI';

/** A fault by the place of its entry: `[0].token_url`. */
export interface SettingFault {
  place: string;
  message: string;
}

export interface ReadSettings {
  providers: readonly ProviderSettings[];
  redirect_uri: string | undefined;
  faults: readonly SettingFault[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const validate = compileAtUse(schema);

/** Reads both variables; secrets are those themselves. Lists every fault at once. No message repeats a value. */
export function readProviderSettings(env: Environment): ReadSettings {
  const redirect_uri = env[REDIRECT_URI] || undefined;
  const redirect = redirect_uri === undefined ? undefined : redirectFault(redirect_uri);
  const { providers, faults } = readProviders(env);
  return {
    providers,
    redirect_uri,
    faults: [...faults, ...(redirect === undefined ? [] : [{ place: REDIRECT_URI, message: redirect }])],
  };
}

function readProviders(env: Environment): Pick<ReadSettings, 'providers' | 'faults'> {
  const text = env[PROVIDERS];
  if (text === undefined || text.trim() === '') return { providers: [], faults: [] };
  const document = text.startsWith('@') ? fileText(text.slice(1)) : { text };
  if ('fault' in document) return none(document.fault);
  const read = readJson(Buffer.from(document.text));
  if (!('value' in read)) return none('is not valid JSON');
  if (!Array.isArray(read.value)) return none('must be a JSON array of providers');
  const list = read.value as unknown[];
  const checked = list.map((entry, index) => readProvider(entry, index, env));
  return {
    providers: checked.flatMap(({ provider }) => provider ?? []),
    faults: [...checked.flatMap(({ faults }) => faults), ...repeatedNames(list)],
  };
}

const none = (message: string) => ({ providers: [], faults: [{ place: PROVIDERS, message }] });

interface Checked {
  provider: ProviderSettings | undefined;
  faults: SettingFault[];
}

function readProvider(entry: unknown, index: number, env: Environment): Checked {
  const at = (pointer: string) => `[${index}]${pointer.replaceAll('/', '.')}`;
  const shape = validate(entry).map(({ pointer, message }) => ({ place: at(pointer), message }));
  const given = (typeof entry === 'object' && entry !== null ? entry : {}) as Partial<ProviderSettings>;
  const urls = urlFaults(given).map(({ place, message }) => ({ place: at(`/${place}`), message }));
  const secret = secretOf(given.client_secret, env);
  const faults = [...shape, ...urls];
  if ('fault' in secret) faults.push({ place: at('/client_secret'), message: secret.fault });
  if (faults.length > 0) return { provider: undefined, faults };
  return { provider: { ...(given as ProviderSettings), client_secret: (secret as { text: string }).text }, faults };
}

function urlFaults(given: Partial<ProviderSettings>): SettingFault[] {
  const { authorize_url, token_url, revoke_url, docs_url, identity } = given;
  const found: [string, unknown, (text: string) => string | undefined][] = [
    ['authorize_url', authorize_url, authorizeUrlFault],
    ['token_url', token_url, urlFault],
    ['revoke_url', revoke_url, urlFault],
    ['docs_url', docs_url, urlFault],
    ['identity.url', (identity as { url?: unknown } | undefined)?.url, urlFault],
  ];
  return found.flatMap(([place, text, fault]) => {
    // What is no text is told by the schema.
    const message = typeof text === 'string' ? fault(text) : undefined;
    return message === undefined ? [] : [{ place, message }];
  });
}

function secretOf(given: unknown, env: Environment): { text: string } | { fault: string } {
  if (typeof given !== 'string' || given === '') return { text: '' };
  if (given.startsWith('@')) return fileText(given.slice(1));
  if (!given.startsWith('env:')) return { text: given };
  const name = given.slice('env:'.length);
  const text = env[name];
  return text ? { text } : { fault: `names the variable ${name.slice(0, 100)}, which is not set` };
}

/** The text of a file, without the line break at its end. */
function fileText(path: string): { text: string } | { fault: string } {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { fault: `names the file ${path}, which is empty` } : { text };
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    return { fault: `names the file ${path}, which cannot be read (${code})` };
  }
}

function repeatedNames(list: readonly unknown[]): SettingFault[] {
  const names = list.map((entry) => (entry as { name?: unknown } | null)?.name);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (typeof name !== 'string' || first === index) return [];
    return [{ place: `[${index}].name`, message: `is the name of [${first}] too` }];
  });
}
