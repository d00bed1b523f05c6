import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import { type Noun, PLAIN_OR_OWNED } from '../../resources/contract.ts';

export const HOOK: Noun = { noun: 'event_hook', plural: 'event_hooks', param: 'hook', names: PLAIN_OR_OWNED };

export const invalid = (pointer: string, what: string): ServiceError =>
  Errors.invalidRequest(`${pointer.slice(1)} ${what}`, { errors: [{ pointer, message: what }] });

export const isHookId = (id: string): boolean => /^hook_[0-9A-Z]{26}$/.test(id);
