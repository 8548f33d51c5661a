// node scripts/vector-scan.ts: writes kernel/src/memory/vector-scan-module.ts, the WebAssembly module that multiplies
// one vector with many (kernel/src/memory/vector-table.ts). This file is its source: `lines` has its instructions.
//
//   scan(query, rows, count, dims, out)
//     query   address of `dims` int16 numbers
//     rows    address of `count` × `dims` int8 numbers; dims is a multiple of 16
//     out     address of `count` int32 sums

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAGIC = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const leb = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
const section = (id: number, bytes: readonly number[]) => [id, ...leb(bytes.length), ...bytes];
const text = (value: string) => [value.length, ...Buffer.from(value)];

const I32 = 0x7f;
const V128 = 0x7b;
const [QUERY, ROWS, COUNT, DIMS, OUT, AT, SUM, ROW] = [0, 1, 2, 3, 4, 5, 6, 7];

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
const i32 = (value: number) => [0x41, ...leb(value)]; // small, not negative
const add = [0x6a];
const subtract = [0x6b];
const isLess = [0x49]; // unsigned
const isZero = [0x45];
const shiftLeft = [0x74];
const storeI32 = [0x36, 2, 0];
const block = [0x02, 0x40];
const loop = [0x03, 0x40];
const end = [0x0b];
const branch = (depth: number) => [0x0c, depth];
const branchIf = (depth: number) => [0x0d, depth];
const simd = (op: number, ...more: number[]) => [0xfd, ...leb(op), ...more];
const loadVector = (offset: number) => simd(0, 0, ...leb(offset));
const zeroVector = simd(12, ...Array.from({ length: 16 }, () => 0));
const lane = (index: number) => simd(27, index);
const lowToI16 = simd(135);
const highToI16 = simd(136);
const addI32x4 = simd(174);
const dotI16x8 = simd(186);

/** sum += the product of eight numbers of the query with eight of the row. */
const multiply = (half: readonly number[], offset: number) => [
  ...get(SUM),
  ...get(QUERY),
  ...get(AT),
  ...i32(1),
  ...shiftLeft,
  ...add,
  ...loadVector(offset),
  ...get(ROW),
  ...half,
  ...dotI16x8,
  ...addI32x4,
  ...set(SUM),
];

/** An instruction a line, or a few that belong together. */
const lines: readonly (readonly number[])[] = [
  block,
  loop,
  [...get(COUNT), ...isZero, ...branchIf(1)],
  [...zeroVector, ...set(SUM)],
  [...i32(0), ...set(AT)],
  loop,
  [...get(ROWS), ...get(AT), ...add, ...loadVector(0), ...set(ROW)],
  multiply(lowToI16, 0),
  multiply(highToI16, 16),
  [...get(AT), ...i32(16), ...add, ...tee(AT), ...get(DIMS), ...isLess, ...branchIf(0)],
  end,
  get(OUT),
  [0, 1, 2, 3].flatMap((index) => [...get(SUM), ...lane(index)]),
  [...add, ...add, ...add, ...storeI32],
  [...get(OUT), ...i32(4), ...add, ...set(OUT)],
  [...get(ROWS), ...get(DIMS), ...add, ...set(ROWS)],
  [...get(COUNT), ...i32(1), ...subtract, ...set(COUNT)],
  branch(0),
  end,
  end,
  end,
];
const locals = [2, 1, I32, 2, V128]; // AT; SUM and ROW
const code = [...locals, ...lines.flat()];

export const vectorScanModule: Uint8Array = Uint8Array.from([
  ...MAGIC,
  ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
  ...section(2, [1, ...text("env"), ...text("memory"), 2, 0, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("scan"), 0, 0]),
  ...section(10, [1, ...leb(code.length), ...code]),
]);

const file = new URL("../kernel/src/memory/vector-scan-module.ts", import.meta.url);

export const moduleFile =
  (): string => `// Written by \`node scripts/vector-scan.ts\`, which is the source of these bytes.

export const VECTOR_SCAN_MODULE =
  "${Buffer.from(vectorScanModule).toString("base64")}";
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, moduleFile());
