// Vector table: vectors of a segment as int8 numbers, and the similarity of all of them to one.
//
//   const table = new VectorTable(512)
//   const slot = table.add(vector)
//   table.similarities(query)      a number for each slot, from -1 to 1
//
// VECTOR-1  The scan is exact on the quantized numbers: WebAssembly and plain JavaScript give the same sums.
// VECTOR-2  A vector is scaled by its largest number, so that quantization costs the same for every length.

import { SysError } from "@aos/protocol";
import { VECTOR_SCAN_MODULE } from "./vector-scan-module.ts";

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What is used of it: its types are those of browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

type Scan = (query: number, rows: number, count: number, dims: number, out: number) => void;

/** Rows in one pass: their sums have a fixed place in front of the rows. */
const PASS = 4096;
const PAGE = 65_536;
const LANES = 16;

let compiled: object | undefined;

/** An int8 vector, as it is stored: the numbers and what one of them stands for. */
export interface QuantizedVector {
  readonly numbers: Int8Array;
  readonly scale: number;
}

export function quantize(vector: ArrayLike<number>): QuantizedVector {
  let largest = 0;
  let square = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at]!;
    if (!Number.isFinite(value))
      throw new SysError("EUPSTREAM", "an embedding has a value that is no number");
    largest = Math.max(largest, Math.abs(value));
    square += value * value;
  }
  const numbers = new Int8Array(Math.ceil(vector.length / LANES) * LANES);
  if (largest === 0) return { numbers, scale: 0 };
  for (let at = 0; at < vector.length; at++)
    numbers[at] = Math.round((vector[at]! / largest) * 127);
  return { numbers, scale: largest / 127 / Math.sqrt(square) };
}

export class VectorTable {
  readonly dims: number;
  readonly #memory: WasmMemory;
  readonly #scan: Scan;
  readonly #rowsAt: number;
  readonly #outAt: number;
  readonly #free: number[] = [];
  #scales = new Float32Array(256);
  #count = 0;
  #found = new Float32Array(0);

  constructor(dims: number) {
    this.dims = Math.ceil(dims / LANES) * LANES;
    this.#outAt = this.dims * 2;
    this.#rowsAt = this.#outAt + PASS * 4;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(this.#rowsAt / PAGE) });
    compiled ??= new WebAssembly.Module(Buffer.from(VECTOR_SCAN_MODULE, "base64"));
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#scan = instance.exports["scan"] as Scan;
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#scales.byteLength;
  }

  add({ numbers, scale }: QuantizedVector): number {
    if (numbers.length !== this.dims)
      throw new SysError(
        "EINVAL",
        `a vector of ${numbers.length} numbers in a table of ${this.dims}`,
      );
    const slot = this.#free.pop() ?? this.#count++;
    this.#reserve(this.#count);
    new Int8Array(this.#memory.buffer).set(numbers, this.#rowsAt + slot * this.dims);
    this.#scales[slot] = scale;
    return slot;
  }

  remove(slot: number): void {
    this.#scales[slot] = 0;
    this.#free.push(slot);
  }

  #reserve(count: number): void {
    const missing = this.#rowsAt + count * this.dims - this.#memory.buffer.byteLength;
    if (missing > 0)
      this.#memory.grow(
        Math.max(Math.ceil(missing / PAGE), (this.#memory.buffer.byteLength / PAGE / 4) | 0),
      );
    if (count <= this.#scales.length) return;
    const larger = new Float32Array(count * 2);
    larger.set(this.#scales);
    this.#scales = larger;
  }

  /** By slot; a slot that is free has 0. Valid until the next call. */
  similarities({ numbers, scale }: QuantizedVector): Float32Array {
    const { buffer } = this.#memory;
    new Int16Array(buffer, 0, this.dims).set(numbers);
    const sums = new Int32Array(buffer, this.#outAt, PASS);
    if (this.#found.length < this.#count) this.#found = new Float32Array(this.#scales.length);
    const found = this.#found.subarray(0, this.#count);
    const scales = this.#scales;
    for (let from = 0; from < this.#count; from += PASS) {
      const rows = Math.min(PASS, this.#count - from);
      this.#scan(0, this.#rowsAt + from * this.dims, rows, this.dims, this.#outAt);
      for (let at = 0; at < rows; at++) found[from + at] = sums[at]! * scales[from + at]! * scale;
    }
    return found;
  }
}

/** The same in plain JavaScript: what VECTOR-1 is checked against. */
export const productOf = (one: QuantizedVector, other: QuantizedVector): number => {
  let sum = 0;
  for (let at = 0; at < one.numbers.length; at++) sum += one.numbers[at]! * other.numbers[at]!;
  return Math.fround(sum * Math.fround(other.scale) * one.scale);
};
