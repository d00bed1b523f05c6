import type { Param } from '../../../kernel/contracts/index.ts';

/**
 * Throws for values that no engine stores unchanged: integers beyond 2^53, NaN, infinities, and types other than `Param`.
 * Such a parameter is a bug in the calling code.
 */
export function checkParams(params: readonly Param[]): void {
  for (const param of params) {
    if (typeof param === 'string' || param === null) continue;
    if (typeof param === 'number') {
      if (Number.isFinite(param) && (Number.isSafeInteger(param) || !Number.isInteger(param))) continue;
      throw new RangeError(`the number ${param} is too large to be stored exactly`);
    }
    if (!Buffer.isBuffer(param))
      throw new TypeError(`a parameter is a ${typeof param}; it must be a string, a number, null or a Buffer`);
  }
}
