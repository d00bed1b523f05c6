/** The JSON of a value; undefined when it is nested too deeply to be written. */
export function jsonOf(value: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
