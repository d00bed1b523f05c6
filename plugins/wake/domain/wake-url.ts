import { wakeSettingInvalid } from '../errors.ts';

/** Where NATS is, and who asks. */
export interface WakeAddress {
  /** `host:port`, in the order given. */
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  /** The connection must be encrypted. */
  tls: boolean;
}

const PORT = '4222';

/**
 * Reads SVC_WAKE_URL: `nats://` or `tls://`, one or several apart by commas, with `user:password@` or `token@` before the
 * first host. Undefined when it is not set. Throws `wake_setting_invalid`, whose text holds nothing of the value.
 */
export function readWakeUrl(text: string | undefined): WakeAddress | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const urls = text.split(',').map((part) => urlOf(part.trim()));
  const named = urls.filter(({ username, password }) => username !== '' || password !== '');
  const first = named[0];
  if (named.some((url) => url.username !== first!.username || url.password !== first!.password))
    throw wakeSettingInvalid('SVC_WAKE_URL names several users; all its servers take the same one');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? PORT : port}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(first ? loginOf(first) : {}),
  };
}

function urlOf(text: string): URL {
  if (!/^(nats|tls):\/\//.test(text) || !URL.canParse(text))
    throw wakeSettingInvalid('SVC_WAKE_URL is no address of NATS: it begins with nats:// or tls://, and names a host');
  const url = new URL(text);
  if (url.hostname === '') throw wakeSettingInvalid('SVC_WAKE_URL names no host');
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    throw wakeSettingInvalid('SVC_WAKE_URL goes on behind the port; it ends there');
  return url;
}

function loginOf({ username, password }: URL): Pick<WakeAddress, 'user' | 'pass' | 'token'> {
  const [user, pass] = [decoded(username), decoded(password)];
  return pass === '' ? { token: user } : { user, pass };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wakeSettingInvalid('SVC_WAKE_URL has a % that stands for nothing in its user or password; write it as %25');
  }
}
