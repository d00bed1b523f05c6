import { Errors } from '../../../kernel/contracts/index.ts';

/** The rules for names. All names are ASCII, so that every database compares them by bytes. */
export interface NameRule {
  /** Why a name is not allowed for callers; undefined when it is. */
  fault(name: string): string | undefined;
  /** True when a resource can have this name. Default: when the name has no fault. */
  exists?(name: string): boolean;
}

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

export const PLAIN_NAMES: NameRule = {
  fault: (name) =>
    PLAIN.test(name) ? undefined : 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit',
};

/** `graph.<graph>.<node>`. Name and dot come before types of events, which have at most 64 characters. */
const OWNED = /^[a-z]+\.[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MAX_OWNED = 62;

/** True for a name that a plugin gives to what belongs to another resource: `graph.<graph>.<node>`. */
export const isOwnedName = (name: string): boolean => OWNED.test(name) && name.length <= MAX_OWNED;

/** Throws `invalid_request`. */
export function checkOwnedName(name: string): string {
  if (isOwnedName(name)) return name;
  const message = `must be like graph.<graph>.<node>, with at most ${MAX_OWNED} characters`;
  throw Errors.invalidRequest(`name ${message}`, { errors: [{ pointer: '/name', message }] });
}

/** People choose plain names; plugins give others to what belongs to their resources. */
export const PLAIN_OR_OWNED: NameRule = {
  fault: (name) => PLAIN_NAMES.fault(name),
  exists: (name) => PLAIN_NAMES.fault(name) === undefined || isOwnedName(name),
};

/** The names of a kind of resource. */
export interface Noun {
  /** `event_hook`: gives the operation `putEventHook`. */
  noun: string;
  /** `event_hooks`: gives the path `event-hooks` and the member `event_hooks` of a list. */
  plural: string;
  /** Parameter of the path. Default: the noun. */
  param?: string;
  /** Default: `PLAIN_NAMES`. */
  names?: NameRule;
}

export const spoken = (noun: string): string => noun.replaceAll('_', ' ');

export const paramOf = ({ noun, param = noun }: Noun): string => param;

/** Throws `invalid_request`. */
export function checkName(kind: Noun, name: string): string {
  const message = (kind.names ?? PLAIN_NAMES).fault(name);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name ${message}`, { errors: [{ pointer: `/path/${paramOf(kind)}`, message }] });
}

/** Names that cannot exist are never sent to the database. */
export function canExist({ names = PLAIN_NAMES }: Pick<Noun, 'names'>, name: string): boolean {
  return names.exists?.(name) ?? names.fault(name) === undefined;
}

export const notFound = ({ noun }: Pick<Noun, 'noun'>, name: string) =>
  Errors.notFound(`no ${spoken(noun)} ${name.slice(0, 128)} in this project`);
