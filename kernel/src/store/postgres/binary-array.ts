// Binary array: a column of values as PostgreSQL itself has an array on the wire. `pg` sends a buffer as it
// is; of an array it makes text, which is escaped here and parsed there, at three times the cost.
//
//   bigints([1, 2])   for a parameter of the type bigint[]

const BIGINT = 20;
const TEXT = 25;
const BYTEA = 17;

const MIN_HEAD_BYTES = 12;
const MAX_HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
const TWO_32 = 2 ** 32;
/** What one UTF-16 unit takes in UTF-8 at most. */
const MAX_UNIT_BYTES = 3;

/** Whole numbers, negative ones too. */
export function bigints(values: readonly number[]): Buffer {
  const buffer = arrayOf(BIGINT, values.length, values.length * (LENGTH_BYTES + BIGINT_BYTES));
  let at = headBytes(values.length);
  for (const value of values) {
    const high = Math.floor(value / TWO_32);
    at = buffer.writeInt32BE(BIGINT_BYTES, at);
    at = buffer.writeInt32BE(high, at);
    at = buffer.writeUInt32BE(value - high * TWO_32, at);
  }
  return buffer.subarray(0, at);
}

export function texts(values: readonly string[]): Buffer {
  const units = values.reduce((sum, value) => sum + value.length, 0);
  const buffer = arrayOf(
    TEXT,
    values.length,
    units * MAX_UNIT_BYTES + values.length * LENGTH_BYTES,
  );
  let at = headBytes(values.length);
  for (const value of values) {
    const bytes = buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(bytes, at);
    at += LENGTH_BYTES + bytes;
  }
  return buffer.subarray(0, at);
}

export function byteas(values: readonly Uint8Array[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + value.length + LENGTH_BYTES, 0);
  const buffer = arrayOf(BYTEA, values.length, bytes);
  let at = headBytes(values.length);
  for (const value of values) {
    at = buffer.writeInt32BE(value.length, at);
    buffer.set(value, at);
    at += value.length;
  }
  return buffer.subarray(0, at);
}

/** Dimensions, whether there are nulls, and the type; then the length and the first subscript of the one dimension. */
function arrayOf(type: number, length: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(MAX_HEAD_BYTES + bytes);
  buffer.writeInt32BE(length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(0, 4);
  buffer.writeInt32BE(type, 8);
  if (length > 0) {
    buffer.writeInt32BE(length, 12);
    buffer.writeInt32BE(1, 16);
  }
  return buffer;
}

/** An empty array has no dimension. */
const headBytes = (length: number) => (length === 0 ? MIN_HEAD_BYTES : MAX_HEAD_BYTES);
