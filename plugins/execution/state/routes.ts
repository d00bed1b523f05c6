import { iso, limitOf, listRoute, MEMBER, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { CellRecord } from './generated/cell.ts';
import type { PutCellBody } from './generated/put-cell.ts';
import keySchema from './schema/cell-key.schema.json' with { type: 'json' };
import entrySchema from './schema/cell.schema.json' with { type: 'json' };
import putSchema from './schema/put-cell.schema.json' with { type: 'json' };
import type { ProjectState } from './service/project-state.ts';
import type { StateEntry } from './store/entries.ts';

const ENTITY = `${SCOPED}/state/:entity`;
const ENTRY = `${ENTITY}/:key`;

/** 256 KiB, each byte of which may take six in JSON. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

type Listed = Omit<StateEntry, 'value'> & { value?: string };

const toRecord = (entity: string, { updated_at, ...entry }: Listed): CellRecord => ({
  entity,
  ...entry,
  updated_at: iso(updated_at),
});

/** Durable values of the project. The API calls them cells. */
export const stateRoutes = (state: ProjectState): Route[] => [
  listRoute({
    path: ENTITY,
    operation: 'listState',
    summary: 'List the keys of an entity, in byte order',
    access: VIEWER,
    plural: 'cells',
    item: entrySchema,
    description: 'A page of keys.',
    async list({ scope, params, query }) {
      const entity = params.entity!;
      const page = { limit: limitOf(query), cursor: query.cursor };
      const { entries, ...rest } = await state.list(scope, entity, page);
      return { items: entries.map((entry) => toRecord(entity, entry)), ...rest };
    },
  }),
  {
    method: 'GET',
    path: ENTRY,
    operation: 'getState',
    summary: 'Read a durable value of the project',
    access: VIEWER,
    responses: { 200: { description: 'The value.', schema: entrySchema } },
    async handle({ scope, params }) {
      const entity = params.entity!;
      return { status: 200, json: toRecord(entity, await state.read(scope, entity, params.key!)) };
    },
  },
  {
    method: 'PUT',
    path: ENTRY,
    operation: 'putState',
    summary: 'Set a durable value of the project',
    access: MEMBER,
    body: putSchema,
    body_limit: MAX_BODY_BYTES,
    responses: {
      200: { description: 'Replaced.', schema: keySchema },
      201: { description: 'Created.', schema: keySchema },
    },
    async handle(request) {
      const { entity, key } = request.params as { entity: string; key: string };
      const { value } = request.body as PutCellBody;
      const created = await state.write(request.scope, entity, key, value, auditSource(request));
      return { status: created ? 201 : 200, json: { entity, key } };
    },
  },
  {
    method: 'DELETE',
    path: ENTRY,
    operation: 'deleteState',
    summary: 'Delete a durable value of the project',
    access: MEMBER,
    responses: { 204: { description: 'Deleted.' } },
    async handle(request) {
      const { entity, key } = request.params as { entity: string; key: string };
      await state.remove(request.scope, entity, key, auditSource(request));
      return { status: 204 };
    },
  },
];
