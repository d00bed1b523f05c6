/** Returns the JSON of a value, or undefined if it is nested too deeply to be serialised. */
export function trySerialize(value: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
