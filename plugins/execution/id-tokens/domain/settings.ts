import { Errors, type Settings } from '../../../../kernel/contracts/index.ts';

/** Returns the issuer of tokens; undefined when they are off. Throws `setting_invalid`. */
export function readIssuer({ env, public_url }: Pick<Settings, 'env' | 'public_url'>): string | undefined {
  const setting = env.SVC_ID_TOKENS || 'off';
  if (setting !== 'on' && setting !== 'off') throw Errors.settingInvalid('SVC_ID_TOKENS must be on or off');
  if (setting === 'off') return undefined;
  if (public_url === undefined)
    throw Errors.settingInvalid(
      'SVC_ID_TOKENS is on, but SVC_PUBLIC_URL is not set: it is the issuer in every token, and other systems read the keys there',
    );
  return public_url.replace(/\/+$/, '');
}
