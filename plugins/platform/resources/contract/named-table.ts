import {
  type ErrorFactory,
  Errors,
  type Page,
  pageOf,
  type Param,
  type Queries,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from './audited-writes.ts';
import { canExist, type ResourceType, notFound, displayName } from './names.ts';

type Reads = Pick<Queries, 'read'>;

/** The columns of every table of named resources, in which `(project_id, name)` is unique. */
export interface NamedRow extends ProjectScope {
  name: string;
}

type Column<Row> = keyof Row & string;

export interface TableRules<Row extends NamedRow, Entry, Other extends keyof Row> extends ResourceType {
  table: string;
  /** The column of the id. Ids increase with time, and lists are ordered by them. */
  id: Column<Row>;
  /** Columns besides scope, name and id that a replacement preserves. */
  preserved?: readonly Column<Row>[];
  /** Columns that every write replaces. */
  replaced: readonly Column<Row>[];
  /** Columns that `put` does not write. */
  other?: readonly (Other & string)[];
  /** The columns of a list. Defaults to all. */
  listed?: readonly (keyof Entry & string)[];
  /** The maximum number in a project, and the error beyond it. */
  max?: { count: number; full: ErrorFactory };
}

/** Restricts a change to rows with these values. */
type Guard<Row> = Readonly<Partial<Row>>;

type Written<Row, Other extends keyof Row> = Omit<Row, Other> & NamedRow;

const SCOPED = 'project_id = ? AND org_id = ?';
const NAMED = `${SCOPED} AND name = ?`;

const list = (columns: readonly string[]) => columns.join(', ');

/**
 * The statements of a table of named resources. A list reads an `Entry` of each row. `put` does not write the `Other` columns.
 */
export class NamedTable<Row extends NamedRow, Entry = Row, Other extends keyof Row = never> {
  readonly noun: string;
  /** All columns, for the plugin's own statements. */
  readonly columns: string;
  /** The columns of a list. */
  readonly listed: string;
  readonly #rules: TableRules<Row, Entry, Other>;
  readonly #written: readonly Column<Row>[];
  readonly #replace: string;

  constructor(rules: TableRules<Row, Entry, Other>) {
    const { id, preserved = [], replaced, other = [], listed } = rules;
    this.#rules = rules;
    this.noun = rules.noun;
    this.#written = ['project_id', 'name', 'org_id', id, ...preserved, ...replaced];
    this.columns = list([...this.#written, ...other]);
    this.listed = listed === undefined ? this.columns : list(listed);
    this.#replace = `UPDATE ${rules.table} SET ${list(replaced.map((column) => `${column} = ?`))} WHERE ${NAMED}`;
  }

  async find(on: Reads, { org_id, project_id }: ProjectScope, name: string): Promise<Row | undefined> {
    return this.#findOne(on, NAMED, [project_id, org_id, name], name);
  }

  /** Finds a row and locks it until the transaction ends. */
  async lock(tx: Transaction, { org_id, project_id }: ProjectScope, name: string): Promise<Row | undefined> {
    if (!canExist(this.#rules, name)) return undefined;
    const rows = { table: this.#rules.table, key: ['project_id', 'name'], columns: this.columns };
    const [row] = await tx.lock<Row>({ ...rows, where: NAMED, params: [project_id, org_id, name] });
    return row;
  }

  /** Throws `not_found`. */
  async get(on: Reads, scope: ProjectScope, name: string): Promise<Row> {
    const row = await this.find(on, scope, name);
    if (row === undefined) throw notFound(this, name);
    return row;
  }

  /** Finds a row by its id, in any project. */
  async findById(on: Reads, id: string): Promise<Row | undefined> {
    return this.#findOne(on, `${this.#rules.id} = ?`, [id]);
  }

  async #findOne(on: Reads, where: string, params: Param[], name?: string): Promise<Row | undefined> {
    if (name !== undefined && !canExist(this.#rules, name)) return undefined;
    const [row] = await on.read<Row>(`SELECT ${this.columns} FROM ${this.#rules.table} WHERE ${where}`, params);
    return row;
  }

  /** Reads a page, newest first. */
  async page<View>(
    on: Reads,
    { org_id, project_id }: ProjectScope,
    { before, limit }: Page,
    view: (entry: Entry) => View,
  ): Promise<{ items: View[]; next_cursor?: string }> {
    const { table, id } = this.#rules;
    const rows = await on.read<Entry & Record<string, string>>(
      `SELECT ${this.listed} FROM ${table} WHERE ${SCOPED} ${before === undefined ? '' : `AND ${id} < ?`}
       ORDER BY ${id} DESC LIMIT ${Math.trunc(limit) + 1}`,
      [project_id, org_id, ...(before === undefined ? [] : [before])],
    );
    const { items, ...rest } = pageOf(rows, limit, (row) => row[id]!);
    return { items: items.map(view), ...rest };
  }

  /** Creates or replaces a row. Returns true when it is new. Throws the error of `max`. */
  async put(tx: Transaction, row: Written<Row, Other>): Promise<boolean> {
    if (await this.replace(tx, row)) return false;
    if (await this.insert(tx, row)) return true;
    if (await this.replace(tx, row)) return false;
    throw Errors.unavailable(`the ${displayName(this.noun)} was just removed`, { retryAfterMs: 100 });
  }

  /** Creates a row. Returns false when the name exists. Throws the error of `max`. */
  async insert(tx: Transaction, row: Written<Row, Other>): Promise<boolean> {
    const { table, plural, max } = this.#rules;
    const inserted = await tx.write(
      `${tx.sql.insert_ignore} ${table} (${list(this.#written)}) VALUES (${list(this.#written.map(() => '?'))})`,
      this.#values(row, this.#written),
    );
    if (inserted === 1 && max !== undefined && (await this.count(tx, row)) > max.count)
      throw max.full(`a project can have at most ${max.count} ${displayName(plural)}`);
    return inserted === 1;
  }

  /** Replaces a row. Returns false when there is none. */
  async replace(tx: Transaction, row: Written<Row, Other>, guard?: Guard<Row>): Promise<boolean> {
    const also = this.#guard(guard);
    const params = [...this.#values(row, this.#rules.replaced), row.project_id, row.org_id, row.name, ...also.params];
    return (await tx.write(`${this.#replace}${also.condition}`, params)) === 1;
  }

  /** Removes a row. Returns false when there was none. */
  async remove(
    tx: Transaction,
    { org_id, project_id }: ProjectScope,
    name: string,
    guard?: Guard<Row>,
  ): Promise<boolean> {
    if (!canExist(this.#rules, name)) return false;
    const also = this.#guard(guard);
    const params = [project_id, org_id, name, ...also.params];
    return (await tx.write(`DELETE FROM ${this.#rules.table} WHERE ${NAMED}${also.condition}`, params)) === 1;
  }

  async count(on: Reads, { org_id, project_id }: ProjectScope): Promise<number> {
    const [row] = await on.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${this.#rules.table} WHERE ${SCOPED}`, [
      project_id,
      org_id,
    ]);
    return Number(row!.n);
  }

  #values(row: object, columns: readonly Column<Row>[]): Param[] {
    return columns.map((column) => (row as Record<string, Param>)[column]!);
  }

  #guard(guard: Guard<Row> | undefined): { condition: string; params: Param[] } {
    if (guard === undefined) return { condition: '', params: [] };
    const columns = Object.keys(guard) as Column<Row>[];
    return { condition: columns.map((column) => ` AND ${column} = ?`).join(''), params: this.#values(guard, columns) };
  }
}
