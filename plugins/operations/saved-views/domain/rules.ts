import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ResourceType } from '../../../platform/resources/contract.ts';
import type { PutView } from '../generated/put-view.ts';

export const VIEW: ResourceType = { noun: 'view', plural: 'views' };

/** The maximum for a project, and for each of its members in addition. A page of a list has room for both. */
export const MAX_VIEWS = 100;

export type RunQuery = Readonly<Record<string, string>>;

/** Returns the query of `GET {scoped}/runs` that a filter stands for. */
export const queryOf = (filter: PutView['filter']): RunQuery =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));

/** Rejects a filter that selects by nothing, or by a blank value, as an unset variable leaves it. Throws `invalid_request`. */
export function checkValues(query: RunQuery): void {
  const entries = Object.entries(query);
  if (entries.length === 0) throw invalid('/filter', 'filter', 'must have at least one member, for example status');
  const blank = entries.find(([, value]) => value.trim() === '');
  if (blank) throw invalid(`/filter/${blank[0]}`, blank[0], 'must not be blank: leave it out, or give it a value');
}

const invalid = (pointer: string, name: string, message: string) =>
  Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer, message }] });
