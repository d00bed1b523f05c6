import { type CopiedRow, type CopiedValue, CopyErrors } from '../../../platform/database/contract.ts';

/**
 * Formats a row as one line with a JSON array. Texts, integers and null are themselves, bytes are `{"b64": …}`, and
 * numbers that JavaScript cannot represent exactly are `{"int": "…"}`.
 */
export const rowLine = (row: CopiedRow): string => `${JSON.stringify(row.map(encodeValue))}\n`;

function encodeValue(value: CopiedValue): unknown {
  if (Buffer.isBuffer(value)) return { b64: value.toString('base64') };
  return typeof value === 'bigint' ? { int: String(value) } : value;
}

/** Reads a row. Throws `backup_damaged` when it does not have this many columns. */
export function readRow(line: unknown, columns: number): CopiedRow {
  if (!Array.isArray(line) || line.length !== columns)
    throw CopyErrors.damaged(`a row does not have the ${columns} values of its table`);
  return line.map(decodeValue);
}

function decodeValue(value: unknown): CopiedValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  const { b64, int } = value as { b64?: unknown; int?: unknown };
  if (typeof b64 === 'string') return Buffer.from(b64, 'base64');
  if (typeof int === 'string' && /^-?\d{1,19}$/.test(int)) return BigInt(int);
  throw CopyErrors.damaged('a row has a value of an unknown kind');
}
