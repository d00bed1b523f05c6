import {
  type AccessControl,
  callerOf,
  type HttpRequest,
  isServiceError,
  type ProjectRole,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { addressOf, type Extensions } from './domain/extensions.ts';
import type { ConsoleExtensions } from './generated/extensions.ts';
import schema from './schema/extensions.schema.json' with { type: 'json' };

type Listed = ConsoleExtensions['pages'][number];

/** What plugins add to the console, of which the caller may see something. */
export const extensionsRoute = ({ pages, panels }: Extensions, control: AccessControl): Route => ({
  method: 'GET',
  path: `${SCOPED}/console/extensions`,
  operation: 'listConsoleExtensions',
  summary: 'List the pages and panels that plugins add to the console and the caller can see',
  access: VIEWER,
  responses: { 200: { description: 'Pages and panels, in boot order.', schema } },
  async handle(request) {
    const may = new Map<ProjectRole, Promise<boolean>>();
    const sees = (role: ProjectRole = 'viewer') => {
      const known = may.get(role) ?? has(control, request, role);
      may.set(role, known);
      return known;
    };
    const seen = async <T extends { role?: ProjectRole }>(list: readonly T[]) => {
      const each = await Promise.all(list.map(({ role }) => sees(role)));
      return list.filter((_, index) => each[index]);
    };
    const json: ConsoleExtensions = {
      pages: (await seen(pages)).map(({ area, ...page }) => ({ ...viewOf(page), ...(area && { area }) })),
      panels: (await seen(panels)).map(({ place, ...panel }) => ({ ...viewOf(panel), place })),
    };
    return { status: 200, json };
  },
});

const viewOf = ({ plugin, name, title, role = 'viewer', module }: Extensions['pages'][number]): Listed => ({
  ...{ plugin, name, title, role },
  module: addressOf(plugin, module),
});

async function has(control: AccessControl, request: HttpRequest, role: ProjectRole): Promise<boolean> {
  try {
    await control.authorize(callerOf(request), { kind: 'project', role }, request.params);
    return true;
  } catch (error) {
    if (!isServiceError(error, 'forbidden')) throw error;
    return false;
  }
}
