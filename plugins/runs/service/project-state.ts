import {
  type Database,
  decodeCursor,
  Errors,
  pageOf,
  retryUnknownCommit,
  type Sealer,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import { checkCellName, checkCellValue } from '../domain/cell-rules.ts';
import { type CellPlace, listCells, readCell, removeCell, writeCell } from '../store/cells.ts';
import type { Cell } from './render.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

/** Project-wide cells through the API; scripts use the same cells through `svc state --entity`. */
export interface ProjectState {
  /** Throws `not_found`. */
  read(scope: Scope, entity: string, key: string): Promise<Cell>;
  /** True when the cell is new. Throws `payload_too_large` beyond 256 KiB. */
  write(scope: Scope, entity: string, key: string, value: string, by: AuditSource): Promise<boolean>;
  /** Throws `not_found`. */
  remove(scope: Scope, entity: string, key: string, by: AuditSource): Promise<void>;
  list(
    scope: Scope,
    entity: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ cells: Cell[]; next_cursor?: string }>;
}

export function createProjectState(database: Database, sealer: Sealer, audit: Audit): ProjectState {
  const done = (action: string, { org_id, project_id }: Scope, entity: string, key: string, by: AuditSource) => ({
    ...by,
    org_id,
    project_id,
    action,
    subject: `${entity}/${key}`,
  });
  return {
    async read(scope, entity, key) {
      await sealer.prepare(scope.org_id);
      const cell = await readCell(database, sealer, placeOf(scope, entity), checkCellName('/path/key', key));
      if (!cell) throw noCell(entity, key);
      return { entity, ...cell };
    },
    async write(scope, entity, key, value, by) {
      const place = placeOf(scope, entity);
      checkCellName('/path/key', key);
      checkCellValue(value);
      await sealer.prepare(scope.org_id);
      const writer = { trusted: true, written_by: by.principal?.id ?? null, at: database.now() };
      return retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          const known = await readCell(tx, sealer, place, key);
          await writeCell(tx, sealer, place, key, value, writer);
          await audit.record(tx, done('state.set', scope, entity, key, by));
          return known === undefined;
        }),
      );
    },
    async remove(scope, entity, key, by) {
      const place = placeOf(scope, entity);
      checkCellName('/path/key', key);
      await retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          if (!(await removeCell(tx, place, key))) throw noCell(entity, key);
          await audit.record(tx, done('state.delete', scope, entity, key, by));
        }),
      );
    },
    async list(scope, entity, { limit, cursor }) {
      const after = decodeCursor(cursor, 'text')?.[0];
      const rows = await listCells(database, placeOf(scope, entity), after, limit + 1);
      const { items, ...rest } = pageOf(rows, limit, ({ key }) => key);
      return { cells: items.map((row) => ({ entity, ...row })), ...rest };
    },
  };
}

const placeOf = ({ org_id, project_id }: Scope, entity: string): CellPlace => ({
  org_id,
  project_id,
  run_id: '',
  entity: checkCellName('/path/entity', entity),
});

const noCell = (entity: string, key: string) =>
  Errors.notFound(`no state ${entity.slice(0, 255)}/${key.slice(0, 255)} in this project`);
