import { migration } from '../../../../kernel/contracts/index.ts';

/** A term is a keyed digest: nobody who only has the database can guess the words. */
const CURSORS = `CREATE TABLE run_search_cursors (
  project_id {id} NOT NULL,
  org_id {id} NOT NULL,
  key_version {int} NOT NULL,
  seq {int} NOT NULL,
  indexed_until {ms} NOT NULL,
  older {id},
  PRIMARY KEY (project_id)
){end}`;

const TERMS = `CREATE TABLE run_search_terms (
  project_id {id} NOT NULL,
  term {id} NOT NULL,
  run_id {id} NOT NULL,
  PRIMARY KEY (project_id, term, run_id)
)`;

const OF_RUN = 'CREATE INDEX run_search_terms_run ON run_search_terms (run_id)';

const forMysql = migration('0001-terms', [CURSORS, `${TERMS}{end}`, OF_RUN]);
const forSqlite = migration('0001-terms', [CURSORS, `${TERMS} WITHOUT ROWID`, OF_RUN]);

export const termTables = migration(
  '0001-terms',
  { sqlite: forSqlite.sqlite, mysql: forMysql.mysql },
  { additive: true },
);
