import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DeclaredInputs } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import type { Schema } from '../graphs/editor/schema-fields.ts';
import { useSettled } from '../kit/settled.ts';

/** So long nothing must be typed before the server is asked. */
const PAUSE_MS = 300;

/**
 * The schema of the inputs that a workflow declares; undefined if it declares none, until they are known, and for a document
 * that cannot be read. The server is asked only when `asks`.
 */
export function useInputs(
  scope: Scope,
  workflow: Readonly<Record<string, unknown>>,
  asks: boolean,
): Schema | undefined {
  const settled = useSettled(JSON.stringify(workflow), PAUSE_MS);
  const { data } = useQuery({
    queryKey: ['inputs', scope.org, scope.project, settled],
    // Texts of which none will come again.
    gcTime: 0,
    placeholderData: keepPreviousData,
    enabled: asks,
    retry: false,
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled) as Record<string, unknown>;
      const { schema } = await json<DeclaredInputs>(scoped(scope, '/inputs'), { method: 'POST', body, signal });
      return typeof schema === 'object' ? (schema as Schema) : null;
    },
  });
  return asks ? (data ?? undefined) : undefined;
}
