import { migration } from '../../../../kernel/contracts/index.ts';

/**
 * The keys that sign tokens, and how many tokens each run was issued in its current hour. A token itself is never stored.
 * `id_tokens_rotations` has one row, which a rotation locks.
 */
const TABLES = [
  `CREATE TABLE id_tokens_keys (
  key_id {id} NOT NULL PRIMARY KEY,
  created_at {ms} NOT NULL,
  signs_from {ms} NOT NULL,
  jwk {text} NOT NULL,
  private_key {blob} NOT NULL
){end}`,
  `CREATE TABLE id_tokens_rotations (
  slot {word} NOT NULL PRIMARY KEY,
  lock_version {int} NOT NULL DEFAULT 0
){end}`,
  `CREATE TABLE id_tokens_issued (
  run_id {id} NOT NULL PRIMARY KEY,
  hour_began_at {ms} NOT NULL,
  issued {int} NOT NULL
){end}`,
];

export const idTokenTables = migration('0001-id-tokens', TABLES, { additive: true });
