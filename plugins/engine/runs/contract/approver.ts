import {
  type Access,
  type AccessControl,
  ADMIN,
  callerOf,
  type HttpRequest,
  isServiceError,
  MEMBER,
} from '../../../../kernel/contracts/index.ts';
import type { ApproverRole } from './approver-names.ts';
import type { Approver } from './signal-terms.ts';

const ACCESS: Readonly<Record<ApproverRole, Access>> = {
  member: MEMBER,
  admin: ADMIN,
  owner: { kind: 'org', role: 'owner' },
};

/** The caller of a request. The roles are those of the token in use. */
export function approverOf(request: HttpRequest, access: Pick<AccessControl, 'authorize'>): Approver {
  const principal = callerOf(request);
  const { params } = request;
  return {
    name: principal.name,
    async holds(role) {
      try {
        await access.authorize(principal, ACCESS[role], params);
        return true;
      } catch (error) {
        if (isServiceError(error, 'forbidden') || isServiceError(error, 'not_found')) return false;
        throw error;
      }
    },
  };
}
