import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleExtensions } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';

export type AddedPage = ConsoleExtensions['pages'][number];
export type AddedPanel = ConsoleExtensions['panels'][number];

/** They change when the server is started again, and with the person's role. */
const STALE_MS = 60_000;

export const extensionsQuery = ({ org, project }: Scope) =>
  queryOptions({
    queryKey: ['extensions', org, project] as const,
    queryFn: ({ signal }) => json<ConsoleExtensions>(scoped({ org, project }, '/console/extensions'), { signal }),
    staleTime: STALE_MS,
  });

/** What plugins add to the console; undefined while it is not known. */
export const useExtensions = (scope: Scope): ConsoleExtensions | undefined => useQuery(extensionsQuery(scope)).data;
