// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PutCellBody {
  /**
   * At most 256 KiB of UTF-8; stored unchanged.
   */
  value: string;
}
