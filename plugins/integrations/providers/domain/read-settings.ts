import { compileAtUse, readJson, readSettingFile } from '../../../platform/schema/contract.ts';
import type { ProviderSettings } from '../generated/provider-settings.ts';
import schema from '../schema/provider-settings.schema.json' with { type: 'json' };
import { withPreset } from '../local/presets.ts';
import { validateAuthorizeUrl, validateRedirectUri, validateUrl } from './urls.ts';

export const PROVIDERS = 'SVC_CONNECTED_ACCOUNT_PROVIDERS';
export const REDIRECT_URI = 'SVC_CONNECTED_ACCOUNTS_REDIRECT_URI';

/** An invalid setting and its path: `[0].token_url`. */
export interface SettingError {
  path: string;
  message: string;
}

export interface ReadSettings {
  providers: readonly ProviderSettings[];
  redirect_uri: string | undefined;
  errors: readonly SettingError[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const validate = compileAtUse(schema);

/** What a person's consent needs, of the settings and of what presents it. */
const FOR_PEOPLE = ['authorize_url', 'client_id', 'client_secret', 'scopes', 'capabilities', 'identity'] as const;

/** The settings of a provider to which people are sent. */
export type ConsentSettings = ProviderSettings & Required<Pick<ProviderSettings, (typeof FOR_PEOPLE)[number]>>;

const PEOPLE_ONLY = ['authorization_code'] as const;

export const grantsOf = ({ grants = [...PEOPLE_ONLY] }: Pick<ProviderSettings, 'grants'>) => grants;

/** Returns undefined for a provider whose accounts need no person. */
export const consentSettings = (settings: ProviderSettings): ConsentSettings | undefined =>
  grantsOf(settings).includes('authorization_code') ? (settings as ConsentSettings) : undefined;

/** Reads both variables and resolves the secrets. Returns every error at once; no message repeats a value. */
export function readProviderSettings(env: Environment): ReadSettings {
  const redirect_uri = env[REDIRECT_URI] || undefined;
  const redirect = redirect_uri === undefined ? undefined : validateRedirectUri(redirect_uri);
  const { providers, errors } = readProviders(env);
  return {
    providers,
    redirect_uri,
    errors: redirect === undefined ? errors : [...errors, { path: REDIRECT_URI, message: redirect }],
  };
}

function readProviders(env: Environment): Pick<ReadSettings, 'providers' | 'errors'> {
  const text = env[PROVIDERS];
  if (text === undefined || text.trim() === '') return { providers: [], errors: [] };
  const document = text.startsWith('@') ? readSettingFile(text.slice(1)) : { text };
  if ('error' in document) return settingsError(document.error);
  const read = readJson(Buffer.from(document.text));
  if (!('value' in read)) return settingsError('is not valid JSON');
  if (!Array.isArray(read.value)) return settingsError('must be a JSON array of providers');
  const list = read.value as unknown[];
  const checked = list.map((entry, index) => readProvider(entry, index, env));
  return {
    providers: checked.flatMap(({ provider }) => provider ?? []),
    errors: [...checked.flatMap(({ errors }) => errors), ...repeatedNames(list)],
  };
}

const settingsError = (message: string): Pick<ReadSettings, 'providers' | 'errors'> => ({
  providers: [],
  errors: [{ path: PROVIDERS, message }],
});

interface CheckedProvider {
  provider: ProviderSettings | undefined;
  errors: SettingError[];
}

function readProvider(written: unknown, index: number, env: Environment): CheckedProvider {
  const at = (pointer: string) => `[${index}]${pointer.replaceAll('/', '.')}`;
  const merged = withPreset(written);
  if ('error' in merged) return { provider: undefined, errors: [{ path: at('/preset'), message: merged.error }] };
  const { entry } = merged;
  const shape = validate(entry).map(({ pointer, message }): SettingError => ({ path: at(pointer), message }));
  const setting = (typeof entry === 'object' && entry !== null ? entry : {}) as Partial<ProviderSettings>;
  const urls = validateUrls(setting).map(
    ({ path: place, message }): SettingError => ({ path: at(`/${place}`), message }),
  );
  const secret = readSecret(setting.client_secret, env);
  const errors = [...shape, ...missingForPeople(entry, at), ...urls];
  if ('error' in secret) errors.push({ path: at('/client_secret'), message: secret.error });
  if (errors.length > 0) return { provider: undefined, errors };
  const { text } = secret as { text: string };
  return { provider: { ...(setting as ProviderSettings), ...(text === '' ? {} : { client_secret: text }) }, errors };
}

function missingForPeople(entry: unknown, at: (pointer: string) => string): SettingError[] {
  // The schema reports what is no object.
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
  const setting = entry as Readonly<Record<string, unknown>>;
  const { grants } = setting;
  if (grants !== undefined && !(Array.isArray(grants) && grants.includes('authorization_code'))) return [];
  const missing = FOR_PEOPLE.filter((name) => setting[name] === undefined);
  return missing.map((name) => ({ path: at(`/${name}`), message: 'is required' }));
}

function validateUrls(setting: Partial<ProviderSettings>): SettingError[] {
  const { authorize_url, token_url, revoke_url, docs_url, identity, test_url } = setting;
  const urls: [string, unknown, (text: string) => string | undefined][] = [
    ['authorize_url', authorize_url, validateAuthorizeUrl],
    ['token_url', token_url, validateUrl],
    ['revoke_url', revoke_url, validateUrl],
    ['docs_url', docs_url, validateUrl],
    ['test_url', test_url, validateUrl],
    ['identity.url', (identity as { url?: unknown } | undefined)?.url, validateUrl],
  ];
  return urls.flatMap(([path, text, fault]): SettingError[] => {
    // The schema reports values that are not text.
    const message = typeof text === 'string' ? fault(text) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
}

function readSecret(setting: unknown, env: Environment): { text: string } | { error: string } {
  if (typeof setting !== 'string' || setting === '') return { text: '' };
  if (setting.startsWith('@')) return readSettingFile(setting.slice(1));
  if (!setting.startsWith('env:')) return { text: setting };
  const name = setting.slice('env:'.length);
  const text = env[name];
  return text ? { text } : { error: `names the variable ${name.slice(0, 100)}, which is not set` };
}

function repeatedNames(list: readonly unknown[]): SettingError[] {
  const names = list.map((entry) => (entry as { name?: unknown } | null)?.name);
  return names.flatMap((name, index): SettingError[] => {
    const first = names.indexOf(name);
    if (typeof name !== 'string' || first === index) return [];
    return [{ path: `[${index}].name`, message: `is also the name of [${first}]` }];
  });
}
