/** The table of a source map. */
export function tableOf(map: {
  mappings: string;
  widened: ReadonlyMap<number, readonly number[]>;
}): Uint32Array<ArrayBuffer>;
