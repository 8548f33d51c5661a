// Assembler: writes the small programs that the Linux kernel runs before every system call (classic BPF,
// `struct sock_filter`: u16 code, u8 jt, u8 jf, u32 k, little endian).
//
// ASSEMBLER-1  A jump goes forward to a label, at most 255 instructions where it depends on something.
// ASSEMBLER-2  What is looked at is the system call's number, the architecture, or the low half of an
//     argument.

/** What the kernel does with the call. */
export const ALLOW = 0x7fff_0000;
export const KILL_PROCESS = 0x8000_0000;
export const refuseWith = (errno: number): number => 0x0005_0000 | errno;

const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Where things are in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

export type Comparison = "equal" | "atLeast" | "anyBit";

const codes: Record<Comparison, number> = {
  equal: JUMP_IF_EQUAL,
  atLeast: JUMP_IF_AT_LEAST,
  anyBit: JUMP_IF_ANY_BIT,
};

interface Instruction {
  readonly code: number;
  readonly k: number;
  /** Where to go on when the answer is yes, or no; the next instruction when absent. */
  readonly yes?: string;
  readonly no?: string;
}

export class Assembler {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<string, number>();
  #unnamed = 0;

  loadNumber(): void {
    this.#load(NUMBER);
  }

  loadArchitecture(): void {
    this.#load(ARCHITECTURE);
  }

  /** The low 32 bits: what the kernel itself looks at for every argument that is an int. */
  loadArgument(index: number): void {
    this.#load(FIRST_ARGUMENT + index * 8);
  }

  jump(question: Comparison, k: number, to: { readonly yes?: string; readonly no?: string }): void {
    this.#instructions.push({ code: codes[question], k, ...to });
  }

  return(action: number): void {
    this.#instructions.push({ code: RETURN, k: action });
  }

  label(name: string): void {
    this.#labels.set(name, this.#instructions.length);
  }

  /** A unique label. */
  newLabel(): string {
    return `#${this.#unnamed++}`;
  }

  assemble(): Buffer {
    const bytes = Buffer.alloc(this.#instructions.length * 8);
    for (const [at, { code, k, yes, no }] of this.#instructions.entries()) {
      bytes.writeUInt16LE(code, at * 8);
      bytes.writeUInt8(this.#distance(at, yes), at * 8 + 2);
      bytes.writeUInt8(this.#distance(at, no), at * 8 + 3);
      bytes.writeUInt32LE(k >>> 0, at * 8 + 4);
    }
    return bytes;
  }

  #load(offset: number): void {
    this.#instructions.push({ code: LOAD_WORD, k: offset });
  }

  #distance(from: number, label: string | undefined): number {
    if (label === undefined) return 0;
    const to = this.#labels.get(label);
    if (to === undefined) throw new Error(`there is no label ${label}`);
    const distance = to - from - 1;
    if (distance < 0 || distance > 255) throw new Error(`the label ${label} is ${distance} away`);
    return distance;
  }
}
