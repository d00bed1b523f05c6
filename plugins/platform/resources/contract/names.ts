import { Errors } from '../../../../kernel/contracts/index.ts';

/** The rule for the names of a resource. All names are ASCII, so that every database compares them by bytes. */
export interface NameRule {
  /** Returns why a caller may not choose a name; undefined when it is valid. */
  validate(name: string): string | undefined;
  /** Tells whether a resource can have this name. Defaults to the names that callers may choose. */
  exists?(name: string): boolean;
}

const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

export const USER_NAMES: NameRule = {
  validate: (name) =>
    USER_NAME.test(name) ? undefined : 'must be 1 to 63 letters, digits, _ and -, beginning with a letter or digit',
};

/** Matches `graph.<graph>.<node>`. The name and a dot prefix types of events, which have at most 64 characters. */
const MANAGED_NAME = /^[a-z]+\.[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9][A-Za-z0-9_-]*$/;
const MAX_MANAGED_NAME = 62;

/** Tells whether a plugin has given a resource its name because another resource manages it: `graph.<graph>.<node>`. */
export const isManagedName = (name: string): boolean => MANAGED_NAME.test(name) && name.length <= MAX_MANAGED_NAME;

/** Throws `invalid_request`. */
export function checkManagedName(name: string): string {
  if (isManagedName(name)) return name;
  const message = `must be like graph.<graph>.<node>, with at most ${MAX_MANAGED_NAME} characters`;
  throw Errors.invalidRequest(`name ${message}`, { errors: [{ pointer: '/name', message }] });
}

/** People choose simple names. Plugins give the other ones to resources that they manage. */
export const USER_OR_MANAGED_NAMES: NameRule = {
  validate: (name) => USER_NAMES.validate(name),
  exists: (name) => USER_NAMES.validate(name) === undefined || isManagedName(name),
};

/** The names of a kind of resource. */
export interface ResourceType {
  /** The singular: `event_hook` makes the operation `putEventHook`. */
  noun: string;
  /** The plural: `event_hooks` makes the path `event-hooks` and the member `event_hooks` of a list. */
  plural: string;
  /** The parameter of the path. Defaults to the noun. */
  param?: string;
  /** The rule for names. Defaults to `USER_NAMES`. */
  names?: NameRule;
}

export const displayName = (noun: string): string => noun.replaceAll('_', ' ');

export const paramOf = ({ noun, param = noun }: ResourceType): string => param;

/** Throws `invalid_request`. */
export function checkName(kind: ResourceType, name: string): string {
  const message = (kind.names ?? USER_NAMES).validate(name);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name ${message}`, { errors: [{ pointer: `/path/${paramOf(kind)}`, message }] });
}

/** Tells whether a name can exist. Names that cannot are never sent to the database. */
export function canExist({ names = USER_NAMES }: Pick<ResourceType, 'names'>, name: string): boolean {
  return names.exists?.(name) ?? names.validate(name) === undefined;
}

export const notFound = ({ noun }: Pick<ResourceType, 'noun'>, name: string) =>
  Errors.notFound(`no ${displayName(noun)} ${name.slice(0, 128)} in this project`);
