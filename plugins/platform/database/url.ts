import { resolve } from 'node:path';
import { DatabaseErrors } from './errors.ts';

export interface SqliteAddress {
  family: 'sqlite';
  /** Absolute path, or `:memory:`. */
  path: string;
}

export interface MysqlAddress {
  family: 'mysql';
  host: string;
  port: number;
  socket: string | undefined;
  user: string;
  password: string;
  database: string;
  /** `verify` checks the server's certificate, `skip-verify` only encrypts. */
  tls: 'off' | 'verify' | 'skip-verify';
}

export type DatabaseAddress = SqliteAddress | MysqlAddress;

const TLS = ['off', 'verify', 'skip-verify'] as const;

/** Parses the address of a database. Throws `database_url_invalid`, whose message never contains the password. */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  if (text.includes('\0')) throw DatabaseErrors.urlInvalid('the address contains a NUL character');
  if (text.startsWith('sqlite:')) return parseSqlite(text.slice('sqlite:'.length));
  if (/^(mysql|mariadb):\/\//.test(text)) return parseMysql(text.replace(/^mariadb:/, 'mysql:'));
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  throw DatabaseErrors.urlInvalid(
    scheme ? `"${scheme}:" is not a known kind of database` : 'the address does not name a kind of database',
  );
}

function parseSqlite(rest: string): SqliteAddress {
  if (rest === ':memory:') return { family: 'sqlite', path: ':memory:' };
  const path = rest.startsWith('//') ? rest.slice(2) : rest;
  if (path === '') throw DatabaseErrors.urlInvalid('`sqlite:` needs a file path');
  if (path.endsWith('/')) throw DatabaseErrors.urlInvalid('the path of `sqlite:` ends with a slash; add a file name');
  return { family: 'sqlite', path: resolve(path) };
}

function parseMysql(text: string): MysqlAddress {
  if (!URL.canParse(text))
    throw DatabaseErrors.urlInvalid('the address is not a URL; encode special characters as %XX');
  const url = new URL(text);
  const database = decodeComponent(url.pathname.slice(1), 'the name of the database');
  if (!/^[A-Za-z0-9_$-]{1,64}$/.test(database))
    throw DatabaseErrors.urlInvalid('put one database name after the slash, with letters, digits, `_`, `$`, `-`');
  const options = parseParameters(url.searchParams);
  if (url.hostname === '' && !options.socket) throw DatabaseErrors.urlInvalid('the address does not name a host');
  return {
    family: 'mysql',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost',
    port: url.port === '' ? 3306 : Number(url.port),
    user: decodeComponent(url.username, 'the user'),
    password: decodeComponent(url.password, 'the password'),
    database,
    ...options,
  };
}

function parseParameters(params: URLSearchParams): Pick<MysqlAddress, 'socket' | 'tls'> {
  for (const name of params.keys())
    if (name !== 'socket' && name !== 'tls')
      throw DatabaseErrors.urlInvalid(`"${name.slice(0, 32)}" is not a known parameter; use \`socket\` or \`tls\``);
  const tls = TLS.find((mode) => mode === (params.get('tls') ?? 'off'));
  if (!tls) throw DatabaseErrors.urlInvalid(`\`tls\` must be one of ${TLS.join(', ')}`);
  return { socket: params.get('socket') || undefined, tls };
}

function decodeComponent(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw DatabaseErrors.urlInvalid(`${what} is not encoded correctly; write special characters as %XX`);
  }
}
