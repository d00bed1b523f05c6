import { wakeSettingInvalid } from '../errors.ts';

/** Address of NATS and the credentials for it. */
export interface WakeAddress {
  /** The addresses as `host:port`, in the order of the setting. */
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  /** True when the connection must be encrypted. */
  tls: boolean;
}

const PORT = '4222';

/**
 * Reads SVC_WAKE_URL: one or several `nats://` or `tls://` addresses, separated by commas, with `user:password@` or
 * `token@` before the first host. Returns undefined when it is not set. Throws `wake_setting_invalid`; the message does
 * not contain the value.
 */
export function readWakeUrl(text: string | undefined): WakeAddress | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const urls = text.split(',').map((address) => parseAddress(address.trim()));
  const named = urls.filter(({ username, password }) => username !== '' || password !== '');
  const first = named[0];
  if (named.some((url) => url.username !== first!.username || url.password !== first!.password))
    throw wakeSettingInvalid('SVC_WAKE_URL contains several users; use the same user for all its servers');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? PORT : port}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(first ? toLogin(first) : {}),
  };
}

function parseAddress(text: string): URL {
  if (!/^(nats|tls):\/\//.test(text) || !URL.canParse(text))
    throw wakeSettingInvalid(
      'SVC_WAKE_URL is not a NATS address: it must start with nats:// or tls:// and contain a host',
    );
  const url = new URL(text);
  if (url.hostname === '') throw wakeSettingInvalid('SVC_WAKE_URL contains no host');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    throw wakeSettingInvalid('SVC_WAKE_URL must end after the port');
  return url;
}

function toLogin({ username, password }: URL): Pick<WakeAddress, 'user' | 'pass' | 'token'> {
  const [user, pass] = [decodeLogin(username), decodeLogin(password)];
  return pass === '' ? { token: user } : { user, pass };
}

function decodeLogin(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wakeSettingInvalid(
      'SVC_WAKE_URL contains a % that does not start an escape in its user or password; write it as %25',
    );
  }
}
