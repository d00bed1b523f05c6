/** The wire format of protocol buffers, as far as spans need it. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of a message: numbers of all widths as bigint, everything else as bytes. Throws for what is no message. */
export function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('a number is cut');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new Error('a field is cut');
    return message.subarray(at, (at += length));
  };
  const value = (type: number): bigint | Buffer => {
    if (type === VARINT) return varint();
    if (type === FIXED64) return bytes(8).readBigUInt64LE();
    if (type === FIXED32) return BigInt(bytes(4).readUInt32LE());
    if (type === BYTES) return bytes(Number(varint()));
    throw new Error(`wire type ${type}`);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const list = fields.get(tag >> 3) ?? [];
    list.push(value(tag & 7));
    fields.set(tag >> 3, list);
  }
  return fields;
}

export const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((value) => fieldsOf(value as Buffer));
export const bytesAt = (fields: Fields, number: number): Buffer =>
  (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
export const numberAt = (fields: Fields, number: number): bigint => (fields.get(number)?.[0] as bigint) ?? 0n;
export const textAt = (fields: Fields, number: number): string => bytesAt(fields, number).toString();
