import type { Param } from '../contracts/index.ts';

/**
 * Throws on what no engine keeps as it is given: whole numbers beyond 2^53, NaN, infinities, and any type that is
 * not in `Param`. Such a parameter is a fault of the calling code.
 */
export function checkParams(params: readonly Param[]): void {
  for (const param of params) {
    if (typeof param === 'string' || param === null) continue;
    if (typeof param === 'number') {
      if (Number.isFinite(param) && (Number.isSafeInteger(param) || !Number.isInteger(param))) continue;
      throw new RangeError(`the number ${param} cannot be stored exactly`);
    }
    if (!Buffer.isBuffer(param))
      throw new TypeError(`a parameter is a ${typeof param}; strings, numbers, null and Buffers are`);
  }
}
