// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

export interface PutCellBody {
  /**
   * At most 256 KiB of UTF-8; kept as it is.
   */
  value: string;
}
