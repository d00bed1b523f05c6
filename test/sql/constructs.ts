/** Something that one of the servers does not know, or takes and does not do. */
export interface Construct {
  name: string;
  /** Who does not know it, and what it does there. */
  reason: string;
  pattern: RegExp;
  /** A statement with it, which must be found. */
  sample: string;
}

const construct = (name: string, pattern: RegExp, sample: string, reason: string): Construct => ({
  name,
  pattern,
  sample,
  reason,
});

/** What a statement must not use, so that it runs on MySQL, MariaDB with and without Galera, TiDB and Vitess. */
export const CONSTRUCTS: readonly Construct[] = [
  construct(
    'SKIP LOCKED, NOWAIT, WAIT',
    /\b(SKIP LOCKED|NOWAIT|FOR UPDATE WAIT)\b/,
    'SELECT a FROM t WHERE a = ? FOR UPDATE SKIP LOCKED',
    'TiDB takes SKIP LOCKED and locks nothing; Galera knows no locks of other nodes; only MariaDB and TiDB know WAIT n',
  ),
  construct(
    'shared locks',
    /\bFOR SHARE\b|\bLOCK IN SHARE MODE\b/,
    'SELECT a FROM t LOCK IN SHARE MODE',
    'TiDB refuses them or does nothing; MariaDB does not know FOR SHARE; nothing is written for Galera to certify',
  ),
  construct(
    'locks on some of the tables',
    /\bFOR UPDATE OF\b/,
    'SELECT a FROM t FOR UPDATE OF t',
    'MariaDB and Vitess do not know it',
  ),
  construct(
    'FETCH FIRST',
    /\bFETCH (FIRST|NEXT)\b/,
    'SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY',
    'MySQL and Vitess do not know it',
  ),
  construct(
    'locks that are no rows',
    /\b(GET_LOCK|RELEASE_LOCK|IS_FREE_LOCK)\b|\bLOCK TABLES?\b/,
    "SELECT GET_LOCK('a', 1)",
    'they hold on one node of Galera only, and Vitess keeps a connection for each',
  ),
  construct('RETURNING', /\bRETURNING\b/, 'DELETE FROM t WHERE a = ? RETURNING b', 'MySQL and Vitess do not know it'),
  construct(
    'system variables',
    /@@\w/,
    'SELECT @@in_transaction',
    'names differ: in_transaction is only in MariaDB; the flag in the answer to a write says the same everywhere',
  ),
  construct(
    'foreign keys',
    /\bFOREIGN KEY\b|\bREFERENCES \w/,
    'CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES u (a))',
    'Vitess does not keep them between shards, TiDB only since 8.5, and Galera fails on cascades between nodes',
  ),
  construct(
    'CHECK',
    /\bCHECK ?\(/,
    'CREATE TABLE t (a INT CHECK (a > 0))',
    'TiDB takes it and checks nothing unless tidb_enable_check_constraint is on',
  ),
  construct(
    'numbers from the server',
    /\bAUTO_INCREMENT\b|\bNEXT ?VAL(UE FOR)?\b|\bCREATE SEQUENCE\b/,
    'CREATE TABLE t (a BIGINT AUTO_INCREMENT PRIMARY KEY)',
    'their order is not the order of commits in Galera and TiDB; Vitess needs tables of sequences; MySQL has no sequences',
  ),
  construct(
    'programs in the server',
    /\b(CREATE|DROP) (DEFINER\S* )?(TRIGGER|PROCEDURE|FUNCTION|EVENT)\b/,
    'CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1',
    'TiDB has none, and Vitess cannot read triggers',
  ),
  construct(
    'indexes of words or places',
    /\b(FULLTEXT|SPATIAL)\b/,
    'CREATE FULLTEXT INDEX i ON t (a)',
    'TiDB has none',
  ),
  construct(
    'indexes of expressions',
    /\b(INDEX|KEY) \w+( ON \w+)? ?\(\(/,
    'CREATE INDEX i ON t ((LOWER(a)))',
    'MariaDB has none',
  ),
  construct(
    'IF EXISTS of parts of a table',
    /\b(COLUMN|INDEX|KEY) IF (NOT )?EXISTS\b|\bCREATE OR REPLACE TABLE\b/,
    'ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT',
    'MySQL and Vitess do not know it',
  ),
  construct(
    'a name for the new row',
    /\bAS \w+(\s*\([^)]*\))?\s+ON DUPLICATE\b/,
    'INSERT INTO t (a) VALUES (?) AS n ON DUPLICATE KEY UPDATE a = n.a',
    'MariaDB does not know it: use VALUES(a)',
  ),
  construct(
    'INTERSECT, EXCEPT, FULL JOIN',
    /\b(INTERSECT|EXCEPT|FULL (OUTER )?JOIN)\b/,
    'SELECT a FROM t EXCEPT SELECT a FROM u',
    'Vitess knows none of them, and no server knows FULL JOIN',
  ),
  construct(
    'tables made in a statement',
    /\b(LATERAL|JSON_TABLE)\b|\bCREATE TABLE \w+ (AS )?SELECT\b|\bTEMPORARY TABLE\b/,
    'CREATE TABLE t AS SELECT 1',
    'MariaDB has no LATERAL, TiDB no JSON_TABLE and no CREATE TABLE … SELECT; Vitess keeps a connection for temporary tables',
  ),
  construct(
    'writes to joined tables',
    /\bDELETE (?!FROM\b)\w+(, ?\w+)* FROM\b|\bDELETE FROM [^(]*?\bUSING\b|\bUPDATE \w+( \w+)? (INNER |LEFT )?JOIN\b/,
    'DELETE a FROM a JOIN b ON a.x = b.x',
    'Vitess runs them on one shard only',
  ),
  construct(
    'counting what LIMIT cut',
    /\bSQL_CALC_FOUND_ROWS\b|\bFOUND_ROWS\(/,
    'SELECT SQL_CALC_FOUND_ROWS a FROM t LIMIT 5',
    'TiDB does not count',
  ),
  construct(
    'other collations',
    /\bCOLLATE (?!(ascii_bin|utf8mb4_bin)\b)\w/,
    'CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_0900_ai_ci)',
    'MySQL and MariaDB name theirs differently; TiDB knows few',
  ),
  construct(
    'SERIALIZABLE and XA',
    /\bSERIALIZABLE\b|\bXA (START|BEGIN|COMMIT|PREPARE)\b/,
    'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    'TiDB has neither, and Galera takes SERIALIZABLE without keeping it between nodes',
  ),
  construct(
    'files of the server',
    /\bINTO OUTFILE\b|\bLOAD DATA\b/,
    "SELECT a FROM t INTO OUTFILE 'x'",
    'behind Vitess and TiDB it is not known whose files they are',
  ),
  construct(
    'text joined with ||',
    /['?)\w] ?\|\| ?['?(\w]/,
    "SELECT a FROM t WHERE b = ? || 'x'",
    'it means OR in the MySQL family: use CONCAT',
  ),
];
