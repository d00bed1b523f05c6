import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ResourceType } from '../../../platform/resources/contract.ts';

const REPO_SEGMENT = /^[A-Za-z0-9._-]{1,100}$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const WEBHOOK: ResourceType = { noun: 'webhook', plural: 'webhooks' };

const invalidRequest = (pointer: string, what: string, message: string) =>
  Errors.invalidRequest(`${what} ${message}`, { errors: [{ pointer, message }] });

/** Checks that a repository is written `owner/name`. Throws `invalid_request`. */
export function checkRepo(repo: string): void {
  const segments = repo.split('/');
  if (segments.length === 2 && segments.every((segment) => REPO_SEGMENT.test(segment) && !/^\.+$/.test(segment)))
    return;
  throw invalidRequest('/repo', 'the repo', 'must be written owner/name, in letters, digits, dots, _ and -');
}

/**
 * Returns the base URL of the forge's API without a trailing slash. It must use https or be this machine, because a
 * token is sent there. Throws `invalid_request`.
 */
export function checkApiBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const baseInvalid = (message: string) => invalidRequest('/api_base', 'api_base', message);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw baseInvalid('must be an https address');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw baseInvalid('must be https, because a token is sent there; http is allowed for localhost only');
  if (url.username !== '' || url.password !== '')
    throw baseInvalid('must not contain a username or password; use a credential');
  if (url.search !== '' || url.hash !== '') throw baseInvalid('must not contain a query or a fragment');
  return url.href.replace(/\/+$/, '');
}
