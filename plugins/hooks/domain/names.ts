import { Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import { type Noun, PLAIN_NAMES } from '../../resources/contract.ts';

/** Names of graph triggers. Name and dot come before each of its types, which have at most 64 characters. */
const MINTED = /^[a-z]+\.[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MAX_MINTED = 62;

const isMinted = (name: string): boolean => MINTED.test(name) && name.length <= MAX_MINTED;

/** People choose plain names; plugins create others. */
export const HOOK: Noun = {
  noun: 'event_hook',
  plural: 'event_hooks',
  param: 'hook',
  names: { fault: PLAIN_NAMES.fault, exists: (name) => PLAIN_NAMES.fault(name) === undefined || isMinted(name) },
};

export const invalid = (pointer: string, what: string): ServiceError =>
  Errors.invalidRequest(`${pointer.slice(1)} ${what}`, { errors: [{ pointer, message: what }] });

/** Throws `invalid_request`: `graph.<graph>.<node>`, short enough to leave room for a type. */
export function checkMinted(name: string): string {
  if (isMinted(name)) return name;
  throw invalid('/name', `must be like graph.<graph>.<node>, with at most ${MAX_MINTED} characters`);
}

export const isHookId = (id: string): boolean => /^hook_[0-9A-Z]{26}$/.test(id);
