import { Errors } from '../../../kernel/contracts/index.ts';
import type { Noun } from '../../resources/contract.ts';

const REPO_PART = /^[A-Za-z0-9._-]{1,100}$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const WEBHOOK: Noun = { noun: 'webhook', plural: 'webhooks' };

const refuse = (pointer: string, what: string, message: string) =>
  Errors.invalidRequest(`${what} ${message}`, { errors: [{ pointer, message }] });

/** `owner/name`. Throws `invalid_request`. */
export function checkRepo(repo: string): void {
  const parts = repo.split('/');
  if (parts.length === 2 && parts.every((part) => REPO_PART.test(part) && !/^\.+$/.test(part))) return;
  throw refuse('/repo', 'the repo', 'must be written owner/name, in letters, digits, dots, _ and -');
}

/**
 * The base URL of the forge's API without a final slash. A token is sent there, so it must be https or this machine.
 * Throws `invalid_request`.
 */
export function checkApiBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const say = (message: string) => refuse('/api_base', 'api_base', message);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw say('must be an https address');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw say('must be https, because a token is sent there; http is allowed for localhost only');
  if (url.username !== '' || url.password !== '') throw say('must not contain a user or a password; use a credential');
  if (url.search !== '' || url.hash !== '') throw say('must not contain a query or a fragment');
  return url.href.replace(/\/+$/, '');
}
