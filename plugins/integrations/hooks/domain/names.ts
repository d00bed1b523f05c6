import { Errors, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { ownershipOf, type ResourceType, USER_OR_MANAGED_NAMES } from '../../../platform/resources/contract.ts';
import { HookErrors } from '../errors.ts';

export const HOOK: ResourceType = {
  noun: 'event_hook',
  plural: 'event_hooks',
  param: 'hook',
  names: USER_OR_MANAGED_NAMES,
};

export const hookOwnership = ownershipOf('hook', HookErrors.hookOwned);

export const invalid = (pointer: string, what: string): ServiceError =>
  Errors.invalidRequest(`${pointer.slice(1)} ${what}`, { errors: [{ pointer, message: what }] });

export const isHookId = (id: string): boolean => /^hook_[0-9A-Z]{26}$/.test(id);
