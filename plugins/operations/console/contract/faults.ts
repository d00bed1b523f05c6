import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { AREAS, PLACES } from './places.ts';

interface Given {
  name: string;
  title: string;
  role?: string;
  module: string;
  area?: string;
  place?: string;
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME = 63;
const MAX_TITLE = 60;
const ROLES = ['viewer', 'member', 'admin'];

const listed = (names: readonly string[]) => names.join(', ');

/** What is wrong with a page or a panel of a plugin; undefined when nothing is. */
export function faultOf({ name, title, role, module, ...where }: Given): string | undefined {
  if (!NAME.test(name) || name.length > MAX_NAME)
    return `the name "${name}" is not valid; write lowercase letters, digits and hyphens, at most ${MAX_NAME}`;
  if (title.trim() === '' || title.length > MAX_TITLE) return `${name} needs a title of 1 to ${MAX_TITLE} characters`;
  if (role !== undefined && !ROLES.includes(role))
    return `${name} has the role "${role}"; it is one of ${listed(ROLES)}`;
  return placeFault(name, where) ?? moduleFault(name, module);
}

function placeFault(name: string, { area, place }: Pick<Given, 'area' | 'place'>): string | undefined {
  if (area !== undefined && !(AREAS as readonly string[]).includes(area))
    return `${name} has the area "${area}"; it is one of ${listed(AREAS)}`;
  if (place !== undefined && !(PLACES as readonly string[]).includes(place))
    return `${name} has the place "${place}"; it is one of ${listed(PLACES)}`;
  return undefined;
}

function moduleFault(name: string, module: string): string | undefined {
  if (!isAbsolute(module) || !/\.m?js$/.test(module))
    return `the module of ${name} is "${module}"; name a .js or .mjs file by its whole path (join(import.meta.dirname, …))`;
  if (!existsSync(module)) return `the module of ${name} is "${module}", which does not exist`;
  if (existsSync(join(dirname(module), 'plugin.json')))
    return `the module of ${name} is next to plugin.json; put it into a folder of its own, because everything there is served`;
  return undefined;
}
