import type { ManifestTest } from '../../manifests/contract.ts';
import type { ProbeOutcome } from '../../requests/contract.ts';
import type { CredentialTest } from '../generated/credential-test.ts';

const REJECTED: readonly number[] = [401, 403];

const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** Reads the answer to the test request of a connector. `title` names the other system. */
export function readTestAnswer(
  title: string,
  { accepted, refused }: Pick<ManifestTest, 'accepted' | 'refused'>,
  outcome: ProbeOutcome,
): CredentialTest {
  if (outcome.result === 'unanswered') return toUnreachable(title, outcome.why);
  const { status, failed } = outcome;
  const says = `${title} answered ${status}`;
  if ((refused ?? REJECTED).includes(status)) return toRejection(title, status);
  const is_accepted = accepted === undefined ? status >= 200 && status < 300 : accepted.includes(status);
  if (!is_accepted) return toOther(title, status);
  if (failed === 'final')
    return { result: 'refused', status, says: `${says}, but by failed_when it does not accept the credential` };
  if (failed === 'temporary')
    return {
      result: 'unreachable',
      status,
      says: `${says}, but by failed_when it fails at the moment. Try again later`,
    };
  if (failed === 'undecided')
    return { result: 'unclear', status, says: `${says}, but failed_when cannot be evaluated for its response` };
  return { result: 'works', status, says };
}

/** Reads the answer to a GET of a URL of which nothing is known. A redirect is not followed. */
export function readUrlAnswer(host: string, outcome: ProbeOutcome): CredentialTest {
  if (outcome.result === 'unanswered') return toUnreachable(host, outcome.why);
  const { status } = outcome;
  if (REJECTED.includes(status)) return toRejection(host, status);
  if (status >= 200 && status < 300) return { result: 'works', status, says: `${host} answered ${status}` };
  if (status >= 300 && status < 400)
    return { result: 'works', status, says: `${host} answered ${status}, and svc does not follow redirects` };
  return toOther(host, status);
}

const toUnreachable = (name: string, why: string): CredentialTest => ({
  result: 'unreachable',
  says: `${name} cannot be reached: ${why}`,
});

const toRejection = (name: string, status: number): CredentialTest => ({
  result: 'refused',
  status,
  says: `${name} answered ${status}. It does not accept the credential${status === 403 ? ', or the credential lacks a permission' : ''}`,
});

const toOther = (name: string, status: number): CredentialTest =>
  isTemporary(status)
    ? { result: 'unreachable', status, says: `${name} answered ${status}. Try again later` }
    : {
        result: 'unclear',
        status,
        says: `${name} answered ${status}, which does not show whether it accepts the credential`,
      };
